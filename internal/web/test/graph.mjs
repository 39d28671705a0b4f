// Measures the graphs of runs that are there.
//
//   node graph.mjs URL SHOTS RUN...
import { frames, open, stirGraph, told } from "./harness.mjs";

const [, , base, shots, ...runs] = process.argv;
const { page, step, shot, end } = await open(base, shots);

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
