// Presses what is seldom pressed, in an order that is seldom thought of.
//
//   node pressed.mjs URL SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { expect, open } from "./harness.mjs";

const [, , base, shots] = process.argv;
const { page, expected, step, shot, end } = await open(base, shots);

const failures = () => page.locator(".failure").count();

// played opens the first state of a list in the player.
const played = async (run, which) => {
  await page.goto(`${base}/#/r/${run}/states?which=${which}`);
  await page.locator(".state-card").first().click();
  await page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
};

await step("the path from the start is shown, and its address restores it", async () => {
  await played("cars", "deepest");
  await page.getByRole("button", { name: "From the start" }).click();
  await page.locator(".moves li[aria-current]").waitFor();
  const n = await page.locator(".moves li").count();
  const where = () => page.locator(".where").textContent();
  expect(`it has ${n} moves, and is at ${await where()}`, n > 3 && (await where()).includes(`${n} of ${n} moves`));
  expect("it is a failure", (await failures()) === 0);
  await page.goto(page.url().replace(/place=\d+/, "place=2"));
  await page.reload();
  await page.locator(".moves li[aria-current]").waitFor();
  expect(`the address shows ${await where()}`, (await where()).includes(`2 of ${n} moves`));
  await shot("90-from-the-start");
});

await end();
