/*
 * Inverse dynamics of one robot on a GPU, a thread a state: every result compared with the core's, then states a second.
 * nvcc -O3 -arch=native -I FOLDER [-DSINGLE] bench.cu; the folder is what the example cuda_bench wrote.
 */
#include "robot.h"
#ifdef SINGLE
#include "f32.cu"
typedef float real;
static const double tolerance = 1e-4;
#else
#include "f64.cu"
typedef double real;
static const double tolerance = 1e-12;
#endif
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define LAUNCH JOIN(ROBOT, _inverse_launch)
#define BATCH JOIN(ROBOT, _inverse_batch)

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* State i of the arrays by element is state i % states of the arrays by rows. */
__global__ void fill(size_t count, size_t states, const real *rows, real *columns)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (int j = 0; j < DOF; j++) columns[j * count + i] = rows[i % states * DOF + j];
}

/* The largest error, relative to the largest force of its state; as bits, which order as the numbers do. */
__global__ void compare(size_t count, size_t states, const double *expected, const real *found, unsigned long long *worst)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    double scale = 1e-3, error = 0.0;
    for (int j = 0; j < DOF; j++) {
        double e = expected[i % states * DOF + j], off = fabs((double)found[j * count + i] - e);
        scale = fmax(scale, fabs(e));
        error = off <= error ? error : off; /* NaN counts */
    }
    atomicMax(worst, (unsigned long long)__double_as_longlong(error / scale));
}

int main(int argc, char **argv)
{
    const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : (size_t)1 << 24;
    FILE *file = fopen(argc > 1 ? argv[1] : "states.bin", "rb");
    if (!file) return fprintf(stderr, "no states\n"), 1;
    std::vector<double> all, row(4 * DOF);
    while (fread(row.data(), sizeof(double), row.size(), file) == row.size()) all.insert(all.end(), row.begin(), row.end());
    fclose(file);
    const size_t states = all.size() / row.size();
    std::vector<real> part[3];
    std::vector<double> tau;
    for (size_t i = 0; i < states; i++)
        for (int j = 0; j < 4 * DOF; j++) {
            if (j < 3 * DOF) part[j / DOF].push_back((real)all[i * 4 * DOF + j]);
            else tau.push_back(all[i * 4 * DOF + j]);
        }

    /* By rows, through the host. */
    std::vector<real> found(states * DOF);
    check(BATCH(states, part[0].data(), part[1].data(), part[2].data(), found.data()), "batch");
    double worst_batch = 0.0;
    for (size_t i = 0; i < states; i++) {
        double scale = 1e-3, error = 0.0;
        for (int j = 0; j < DOF; j++) {
            double off = fabs((double)found[i * DOF + j] - tau[i * DOF + j]);
            scale = std::max(scale, fabs(tau[i * DOF + j]));
            if (!(off <= error)) error = off;
        }
        if (!(error / scale <= worst_batch)) worst_batch = error / scale;
    }

    /* On the device. */
    real *rows, *array[4];
    double *expected;
    unsigned long long *worst_bits, bits = 0;
    check(cudaMalloc(&rows, states * DOF * sizeof(real)), "memory");
    for (int a = 0; a < 4; a++) check(cudaMalloc(&array[a], count * DOF * sizeof(real)), "memory");
    check(cudaMalloc(&expected, tau.size() * sizeof(double)), "memory");
    check(cudaMalloc(&worst_bits, sizeof bits), "memory");
    check(cudaMemcpy(expected, tau.data(), tau.size() * sizeof(double), cudaMemcpyHostToDevice), "copy");
    check(cudaMemset(worst_bits, 0, sizeof bits), "copy");
    const unsigned blocks = (unsigned)((count + 127) / 128);
    for (int a = 0; a < 3; a++) {
        check(cudaMemcpy(rows, part[a].data(), part[a].size() * sizeof(real), cudaMemcpyHostToDevice), "copy");
        fill<<<blocks, 128>>>(count, states, rows, array[a]);
        check(cudaDeviceSynchronize(), "fill");
    }
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    std::vector<float> times;
    for (int k = 0; k < 55; k++) {
        cudaEventRecord(start);
        check(LAUNCH(count, array[0], array[1], array[2], array[3], 0), "launch");
        cudaEventRecord(stop);
        check(cudaEventSynchronize(stop), "launch");
        float ms;
        cudaEventElapsedTime(&ms, start, stop);
        if (k >= 5) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2] * 1e-3;
    compare<<<blocks, 128>>>(count, states, expected, array[3], worst_bits);
    check(cudaMemcpy(&bits, worst_bits, sizeof bits, cudaMemcpyDeviceToHost), "compare");
    double worst;
    static_assert(sizeof worst == sizeof bits, "as bits");
    memcpy(&worst, &bits, sizeof worst);

    /* What the memory could do: the same bytes, copied. */
    cudaEventRecord(start);
    for (int k = 0; k < 20; k++) check(cudaMemcpyAsync(array[1], array[0], count * DOF * sizeof(real), cudaMemcpyDeviceToDevice), "copy");
    cudaEventRecord(stop);
    check(cudaEventSynchronize(stop), "copy");
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    const double bandwidth = 20.0 * 2.0 * count * DOF * sizeof(real) / (ms * 1e-3);

    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    const double bytes = 4.0 * DOF * sizeof(real) * count;
    printf("{\"device\": \"%s\", \"precision\": %d, \"states\": %zu, \"states_per_s\": %.4g, \"best\": %.4g, \"GB_per_s\": %.0f, "
           "\"copy_GB_per_s\": %.0f, \"worst_relative_error\": %.2e, \"worst_of_batch\": %.2e}\n",
           device.name, (int)(8 * sizeof(real)), count, count / median, count / (times[0] * 1e-3), bytes / median * 1e-9,
           bandwidth * 1e-9, worst, worst_batch);
    return !(worst <= tolerance && worst_batch <= tolerance);
}
