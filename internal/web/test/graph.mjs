// Measures the graphs of runs that are there, and the page of a large sweep.
//
//   node graph.mjs URL SHOTS SWEEP RUN...
import { expect, frames, open, stirGraph, told } from "./harness.mjs";

const [, , base, shots, sweep, ...runs] = process.argv;
const { page, step, shot, end } = await open(base, shots);

if (sweep !== "-") await step(`the sweep ${sweep}`, async () => {
  const answers = [];
  page.on("requestfinished", (r) => { if (r.url().includes("/api/sweeps/")) answers.push(r.timing()); });
  const began = Date.now();
  await page.goto(`${base}/#/sweeps/${sweep}`);
  await page.locator(".states .state-card svg").first().waitFor();
  const shown = Date.now() - began;
  const total = await page.locator(".sweep-total strong").textContent();
  await shot("42-sweep-large");
  const box = await page.locator(".sweep-histogram").first().boundingBox();
  const times = await frames(page, async () => {
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
    await page.mouse.down();
    for (let i = 0; i <= 60; i++) {
      await page.mouse.move(box.x + (0.2 + 0.012 * i) * box.width, box.y + 40);
      await page.waitForTimeout(50);
    }
    await page.mouse.up();
  });
  await page.waitForTimeout(1000);
  const waits = answers.slice(1).map((t) => t.responseEnd - t.requestStart).filter((t) => t > 0).sort((a, b) => a - b);
  expect("no filter was asked for", waits.length > 0);
  console.log(`# ${sweep}: ${total}, shown after ${(shown / 1000).toFixed(1)} s; while a range is dragged ${told(times)}; ${waits.length} filters answered, the middle one after ${waits[waits.length >> 1].toFixed(0)} ms, the last after ${waits.at(-1).toFixed(0)} ms`);
});

for (const run of runs) {
  await step(`the graph of ${run}`, async () => {
    const began = Date.now();
    await page.goto(`${base}/#/r/${run}/graph`);
    await page.locator("canvas.gl").waitFor({ timeout: 600_000 });
    const made = Date.now() - began;
    await page.waitForTimeout(2000);
    await shot(`40-graph-${run}`);
    const first = await frames(page, () => stirGraph(page)); // finds out how much the machine can draw
    await page.waitForTimeout(1500);
    const t = await frames(page, () => stirGraph(page));
    console.log(`# ${run}: shown after ${(made / 1000).toFixed(1)} s; at first ${told(first)}; then ${told(t)}`);
    await page.getByRole("button", { name: "Deepest" }).click();
    await page.locator(".selection .state-card").first().waitFor();
    await page.waitForTimeout(1500);
    await shot(`41-graph-${run}-deepest`);
  });
}

await end();
