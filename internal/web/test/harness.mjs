// What the scripts of this folder share: a browser, steps, and what must never
// happen.
import { chromium } from "playwright-core";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// open starts a browser for a page, which may also ask for addresses that begin otherwise.
// CHROMIUM names the browser, DIST a folder with
// the page to look at instead of the server's.
export async function open(base, shots, ...also) {
  await mkdir(shots, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.STEP_TIME ?? 180_000));

  const complaints = [];
  // Another test on the machine may bring up a network meanwhile.
  const expected = ["ERR_NETWORK_CHANGED"]; // of the console, where a step provokes an error on purpose
  page.on("console", (m) => {
    if (m.type() === "error" && !expected.some((e) => m.text().includes(e))) complaints.push(`console: ${m.text()}`);
  });
  page.on("pageerror", (e) => complaints.push(`page: ${e}`));
  page.on("request", (r) => {
    if (![base, `blob:${base}`, "data:", ...also].some((own) => r.url().startsWith(own))) complaints.push(`request: ${r.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`));
  });
  if (process.env.DIST) {
    await page.route((url) => !url.pathname.startsWith("/api/"), async (route) => {
      const name = new URL(route.request().url()).pathname;
      await route.fulfill({ path: `${process.env.DIST}${name === "/" ? "/index.html" : name}` });
    });
  }

  let failed = 0;
  return {
    page, expected,
    // step prints "ok NAME" or "not ok NAME: why".
    async step(name, f) {
      const began = Date.now();
      const before = complaints.length;
      try {
        await f();
        if (complaints.length > before) throw new Error(complaints.slice(before).join("; "));
        console.log(`ok ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
      } catch (e) {
        failed++;
        console.log(`not ok ${name}: ${String(e.message ?? e).replaceAll("\n", " ")}`);
        await page.screenshot({ path: `${shots}/failed-${name.replaceAll(" ", "-")}.png` }).catch(() => {});
      }
    },
    shot: (name, fullPage = false) => page.screenshot({ path: `${shots}/${name}.png`, fullPage }),
    // accessible has axe-core look at the view that is shown, for the end of the step.
    async accessible(view) {
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })
        .then((r) => r.violations.map((v) => `${v.id} (${v.nodes.slice(0, 3).map((n) => `${n.target}: ${n.any[0]?.message ?? ""}`).join(", ")})`)));
      if (found.length) complaints.push(`${view}: ${found.join("; ")}`);
    },
    async end() {
      await browser.close();
      console.log(failed ? `# ${failed} steps failed` : "# all steps passed");
      process.exit(failed ? 1 : 0);
    },
  };
}

export function expect(what, value) {
  if (!value) throw new Error(what);
}

// frames measures the time between frames while f runs, in milliseconds.
export async function frames(page, f) {
  await page.evaluate(() => {
    window.frameTimes = [];
    let last = performance.now();
    const tick = () => {
      const now = performance.now();
      window.frameTimes.push(now - last);
      last = now;
      window.frameTick = requestAnimationFrame(tick);
    };
    window.frameTick = requestAnimationFrame(tick);
  });
  await f();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.frameTick);
    return window.frameTimes.slice(1);
  });
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? Infinity;
  return { n: times.length, median: at(0.5), most: at(0.95), worst: at(1) };
}

export const told = (t) => `${t.median.toFixed(0)} ms a frame, 95 of 100 within ${t.most.toFixed(0)} ms, the longest ${t.worst.toFixed(0)} ms (${t.n} frames)`;

// stirGraph turns, shifts and zooms the graph as a hand would.
export async function stirGraph(page) {
  const box = await page.locator("canvas.gl").boundingBox();
  const [x, y] = [box.x + box.width / 3, box.y + box.height / 3];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 0; i < 50; i++) {
    await page.mouse.move(x + 4 * i, y + 2 * i);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  for (const by of [-240, 240]) {
    for (let i = 0; i < 15; i++) {
      await page.mouse.wheel(0, by);
      await page.waitForTimeout(16);
    }
  }
  await page.keyboard.down("Shift");
  await page.mouse.down();
  for (let i = 0; i < 30; i++) {
    await page.mouse.move(x + 3 * i, y);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await page.keyboard.up("Shift");
}
