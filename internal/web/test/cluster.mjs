// Drives the page of a coordinator while workers explore a run of 256 partitions.
//
//   node cluster.mjs URL RUN SHOTS WORKER-PID...
//
// Prints what browser.mjs prints.
import { expect, frames, open, told } from "./harness.mjs";

const [, , base, run, shots, ...pids] = process.argv;
const { page, step, shot, accessible, end } = await open(base, shots);

const number = async (name) => (await page.locator(".numbers div", { hasText: name }).first().locator("dd").textContent()) ?? "";

await step("a run of 256 partitions is watched", async () => {
  await page.goto(`${base}/#/r/${run}`);
  await page.locator(".workers tbody tr").first().waitFor();
  await page.locator(".homes").first().waitFor();
  expect("there are not 256 partitions", (await page.locator(".partitions i").count()) === 256);
  // The run is spread over more workers as its layers grow.
  await page.waitForFunction((workers) => document.querySelectorAll(".homes").length === workers, pids.length);
  await page.waitForFunction(() => [...document.querySelectorAll(".numbers dt")].some((dt) => dt.textContent === "Sent between workers"));
  await shot("30-cluster-run", true);
  await accessible("a run of a cluster");
});

await step("it grows", async () => {
  const asked = [];
  const note = (r) => asked.push(r.url());
  page.on("request", note);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => Object.fromEntries((await session.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
  const before = await busy();
  const states = await number("States");
  const span = 8;
  const t = await frames(page, () => page.waitForTimeout(1000 * span));
  const after = await busy();
  page.off("request", note);
  const share = (after.TaskDuration - before.TaskDuration) / span;
  console.log(`# a run of 256 partitions grows: ${told(t)}; ${(100 * share).toFixed(1)} % of a processor; ${asked.length} requests in ${span} s`);
  const until = Date.now() + 180_000; // of a busy machine
  while (states === (await number("States"))) {
    expect("it does not grow", Date.now() < until);
    await page.waitForTimeout(200);
  }
  expect(`${asked.length} requests in ${span} s: ${asked.join(" ")}`, asked.length <= span);
  expect(told(t), t.n > 0);
});

await step("a worker that is lost is seen, and that it is back", async () => {
  process.kill(Number(pids[0]), "SIGSTOP");
  try {
    await page.locator(".badge", { hasText: "lost" }).first().waitFor();
    await page.locator(".homes.lost").waitFor();
    await page.getByText("waiting").first().waitFor();
    await shot("31-cluster-lost", true);
  } finally {
    process.kill(Number(pids[0]), "SIGCONT");
  }
  await page.locator(".workers tr", { hasText: "lost" }).waitFor({ state: "detached" });
  await page.locator(".homes.lost").waitFor({ state: "detached" });
});

await step("it is paused, resumed and cancelled, and can be read then", async () => {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".run-title .badge", { hasText: "paused" }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".run-title .badge", { hasText: /running|waiting/ }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".run-title .badge", { hasText: "cancelled" }).waitFor();
  await page.getByRole("link", { name: "The deepest state" }).click();
  await page.locator(".state-card img").first().waitFor();
  await page.locator(".state-card").first().click();
  await page.locator(".neighbours .state-card").first().waitFor();
});

await step("the list shows workers", async () => {
  await page.goto(`${base}/#/`);
  await page.locator(".run-row").first().waitFor();
  await shot("32-cluster-runs");
  await accessible("the runs of a cluster");
});

await end();
