// Signs in at a coordinator that asks for a token, and out again.
//
//   node signin.mjs URL TOKEN SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { expect, open } from "./harness.mjs";

const [, , base, token, shots] = process.argv;
const { page, expected, step, shot, accessible, end } = await open(base, shots);

await step("nothing is shown before the token", async () => {
  expected.push("401", "403");
  await page.goto(`${base}/#/r/some/states`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect("there are tabs", (await page.locator(".tabs a").count()) === 0);
  expect("there is a button to sign out", !(await page.locator("#logout").isVisible()));
  await accessible("signing in");
});

await step("a wrong token is told", async () => {
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Show runs" }).click();
  await page.waitForFunction(() => document.querySelector(".login .failure")?.textContent);
  await shot("72-wrong-token");
});

await step("a right token lets in, and logging out ends that", async () => {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Show runs" }).click();
  const out = page.locator("#logout");
  await out.waitFor();
  expect("it has no connection", (await page.locator("#link").textContent()) === "");
  const kept = await page.evaluate(() => [document.cookie, ...Object.values(localStorage)].join());
  expect("the page keeps the token", !kept.includes(token));
  await out.click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

const signIn = async () => {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Show runs" }).click();
  await page.locator("#runs-title").waitFor();
  await page.locator(".run-row, .empty").first().waitFor();
};

await step("a session that ends elsewhere asks for the token again", async () => {
  await page.goto(`${base}/#/`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn();
  const logout = () => page.evaluate(() => fetch("api/logout", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).then((r) => r.status));
  await logout();
  // The connection is made anew, as after a restart.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.waitForTimeout(100);
  expect(`it says ${await page.locator("#link").textContent()}`, (await page.locator("#link").textContent()) === "");
  await shot("72-session-ended");
  await signIn();
});

await end();
