// Opens pages in a browser without network, plays them and takes pictures:
//   node browser/test.mjs FOLDER PAGE.html…
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [folder, ...pages] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!executablePath || pages.length === 0) {
  console.error("usage: node browser/test.mjs FOLDER PAGE.html…; needs Chromium, such as Debian's package `chromium`");
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath,
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
  ],
});

async function check(file, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: width > 1000 ? 880 : 1000 }, colorScheme, offline: true });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader/i.test(m.text()) && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(e.message));
  page.on("request", (r) => /^https?:/.test(r.url()) && problems.push(`request of ${r.url()}`));
  await page.goto(pathToFileURL(resolve(file)).href);
  const slider = page.getByRole("slider", { name: "Time" });
  const time = async () => Number(await slider.inputValue());
  const value = () => page.locator(".joint .value").first().textContent();
  const picture = (what) => page.screenshot({ path: join(folder, `${basename(file, ".html")}-${width}-${colorScheme}${what}.png`) });
  const end = Number(await slider.getAttribute("max"));

  // The slider sets the time; the table follows.
  const before = await value();
  await slider.fill(String(0.37 * end));
  assert.ok(Math.abs((await time()) - 0.37 * end) < 1e-6 * end, "the slider sets the time");
  assert.notEqual(await value(), before, "the joint table follows the time");
  await picture("");

  // Play moves the time on, pause keeps it.
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const from = await time();
  await page.waitForFunction((t) => Number(document.querySelector("input[type=range]").value) !== t, from, { timeout: 10000 });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const stopped = await time();
  await page.waitForTimeout(100);
  assert.equal(await time(), stopped, "pause keeps the time");

  // The keyboard.
  await page.keyboard.press("Home");
  assert.equal(await time(), Number(await slider.getAttribute("min")));
  await page.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok((await time()) > 0, "the right arrow steps to the next sample");
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await page.keyboard.press(" ");

  // Overlays change the picture.
  await slider.fill(String(0.37 * end));
  const plain = await page.locator("canvas").screenshot();
  for (const name of ["Frames", "Centres of mass", "Inertia ellipsoids"]) {
    await page.getByRole("button", { name }).click();
  }
  await page.waitForTimeout(300);
  assert.ok(!plain.equals(await page.locator("canvas").screenshot()), "overlays change the picture");
  await picture("-overlays");

  // Every control has a name, nothing is wider than the page, and the canvas shows more than one colour.
  for (const control of await page.locator("button, select, input").all()) {
    const name = await control.evaluate((e) => e.getAttribute("aria-label") || e.textContent);
    assert.ok(name?.trim(), "every control has an accessible name");
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
  assert.ok(plain.length > 5000, "the picture is not empty");
  assert.deepEqual(problems, []);
  await context.close();
}

for (const file of pages) {
  for (const [width, scheme] of [[1400, "light"], [800, "dark"]]) {
    await check(file, width, scheme);
    console.log(`${basename(file)}, ${width} px, ${scheme}: passed`);
  }
}
await browser.close();
