"""Compiles a CUDA file to PTX with NVRTC, and prints it.  nvrtc.py FOLDER [FILE], the library being anywhere in the folder.

With no file, it only says (by its exit status) whether the library is there."""
import ctypes
import pathlib
import sys

libraries = sorted(pathlib.Path(sys.argv[1]).rglob("libnvrtc.so.*"))
if not libraries:
    sys.exit(f"no libnvrtc in {sys.argv[1]}")
nvrtc = ctypes.CDLL(str(libraries[0]))
if len(sys.argv) < 3:
    sys.exit(0)


def text(size, get):
    n = ctypes.c_size_t()
    size(program, ctypes.byref(n))
    buffer = ctypes.create_string_buffer(n.value)
    get(program, buffer)
    return buffer.value.decode()


source = pathlib.Path(sys.argv[2])
program = ctypes.c_void_p()
if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None):
    sys.exit("no program")
options = (ctypes.c_char_p * 2)(b"--gpu-architecture=compute_90", b"--std=c++17")
failed = nvrtc.nvrtcCompileProgram(program, len(options), options)
log = text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
if failed or "warning" in log:
    sys.exit(log)
print(text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
