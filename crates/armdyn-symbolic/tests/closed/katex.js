// Reads every formula of LaTeX and Markdown files with KaTeX; says how many there were.
const { readFileSync } = require("fs");
const { createRequire } = require("module");
const katex = createRequire(process.cwd() + "/")("katex");

const display = /\\begin\{align\*\}[\s\S]*?\\end\{align\*\}|\$\$[\s\S]*?\$\$/g;
let count = 0;
const render = (formula, displayMode, file) => {
  try {
    katex.renderToString(formula, { displayMode, throwOnError: true, strict: "error" });
    count += 1;
  } catch (error) {
    console.log(`${file}: ${error.message}\n${formula}`);
    process.exitCode = 1;
  }
};
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8").replace(/^[\s\S]*\\begin\{document\}/, "");
  for (const [formula] of text.matchAll(display)) render(formula.replace(/\$\$/g, ""), true, file);
  for (const [, formula] of text.replace(display, "").matchAll(/(?<!\\)\$([^$]+)\$/g)) render(formula, false, file);
}
console.log(count);
