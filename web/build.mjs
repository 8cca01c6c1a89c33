// Builds the bundle that the Rust crate embeds; with --check, compares it with the committed one.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const target = new URL("../crates/armdyn-scene/assets/scene.js", import.meta.url);
const licence = (await readFile(new URL("node_modules/three/LICENSE", import.meta.url), "utf8")).trim();

/** Minified style sheets as strings. */
const styles = {
  name: "styles",
  setup(b) {
    b.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const result = await build({ entryPoints: [path], minify: true, write: false });
      return { contents: result.outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

const result = await build({
  entryPoints: [new URL("src/play.ts", import.meta.url).pathname],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "armdynScene",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  banner: { js: `/*! armdyn: MIT OR Apache-2.0. Contains three.js:\n${licence}\n*/` },
  plugins: [styles],
  write: false,
});
const text = result.outputFiles[0].text;
// The bundle is the content of a script element.
if (/<\/script|<!--/i.test(text)) throw new Error("the bundle contains `</script` or `<!--`: it would end the script element");

if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error("crates/armdyn-scene/assets/scene.js is not the build of web/src: run `npm run build` in web/ and commit it");
    process.exit(1);
  }
  console.log(`scene.js is the build of web/src (${text.length} bytes)`);
} else {
  await writeFile(target, text);
  console.log(`${text.length} bytes`);
}
