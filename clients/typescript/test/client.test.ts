// Tests against a service at SLIPSTICK_URL, and against a scripted one at SLIPSTICK_FAKE_URL that is
// busy, loses connections and interrupts streams (e2e/clients_test.go).
import { Slipstick, SlipstickError } from "../src/index.js";
// @ts-expect-error the types of node are not installed
import test from "node:test";
// @ts-expect-error
import assert from "node:assert/strict";
declare const process: { env: Record<string, string | undefined> };

const { SLIPSTICK_URL, SLIPSTICK_FAKE_URL } = process.env;
const service = { skip: !SLIPSTICK_URL && "SLIPSTICK_URL is not set" };
const scripted = { skip: !SLIPSTICK_FAKE_URL && "SLIPSTICK_FAKE_URL is not set" };
const client = new Slipstick({ baseUrl: SLIPSTICK_URL ?? "" });
const fake = new Slipstick({ baseUrl: SLIPSTICK_FAKE_URL ?? "" });

function near(got: number | null | undefined, want: number): void {
  assert.ok(typeof got === "number" && Math.abs(got - want) <= 1e-9 * Math.abs(want), `${got}, want ${want}`);
}

async function rejected(call: Promise<unknown>): Promise<SlipstickError> {
  const error = await call.then(() => undefined, (e: unknown) => e);
  if (error instanceof SlipstickError) return error;
  throw error ?? new Error("no error");
}

test("tools", service, async () => {
  // Expected values: those of e2e/testdata/generators.
  near((await client.call("fspl", { freq_mhz: 915, dist_km: 5 })).fspl_db, 105.65560518993271);
  const link = await client.call("link_budget", { tx_dbm: 20, freq_mhz: 915, dist_km: 5 });
  near(link.eirp_dbm, 22.15);
  assert.equal(link.margin_db ?? null, null);
  near((await client.call("dipole", { freq_mhz: 915, type: "half_wave" })).wavelength_m, 0.32764203060109287);
  near((await client.call("noise_figure_cascade", { stages: [{ nf_db: 2, gain_db: 10 }] })).total_nf_db, 2);
  near((await client.call("lora_airtime", { payload_bytes: 20, bw_khz: 125 })).airtime_ms, 370.688);
  near((await client.call("ohms_law", { voltage_v: 5, current_a: 0.02 })).resistance_ohm, 250);
  near((await client.call("vswr", { vswr: 3 })).reflection_coefficient, 0.5);
  near((await client.call("zfs_capacity", { raid_level: "raidz2", drive_size_tb: 4, drives_per_vdev: 6 })).raw_tb, 24);
  near((await client.call("date_difference", { start_date: "2026-01-01", end_date: "2026-02-01" })).total_days, 31);
  near((await client.call("spice_template", { template: "voltage_divider", params: {} })).component_count, 3);
  assert.equal((await client.respond("fspl", { freq_mhz: 915, dist_km: 5 })).tool, "fspl");
});

test("problem", service, async () => {
  const error = await rejected(client.call("fspl", { freq_mhz: -1, dist_km: 5 }));
  assert.equal(error.status, 400);
  assert.equal(error.problem.errors?.[0]?.field, "freq_mhz");
});

test("simulation", service, async () => {
  const netlist = `TypeScript ${Date.now()}\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end`;
  const first = await client.call("spice_simulate", { netlist });
  assert.ok(first.vectors["v(out)"] instanceof Float64Array);
  near(first.vectors["v(out)"]?.[0], 5);
  const states: string[] = [];
  const again = await client.call("spice_simulate", { netlist: `again ${netlist}` }, { onProgress: (job) => states.push(job.state) });
  near(again.vectors["v(out)"]?.[0], 5);
  assert.notEqual(states.length, 0);
});

test("batch", service, async () => {
  const request = { tool: "fspl", input: { freq_mhz: 915 }, vary: [{ field: "/dist_km", from: 1, to: 100, points: 3, scale: "log" as const }] };
  assert.equal((await client.dryRunBatch(request)).runs_total, 3);
  const { id } = await client.createBatch(request);
  const states: string[] = [];
  const done = await client.waitBatch(id, { onProgress: (batch) => states.push(batch.state) });
  assert.deepEqual([done.state, done.runs_done, states.at(-1)], ["done", 3, "done"]);
  const rows = await client.batchRows(id);
  const loss = rows.columns["fspl_db"] as Float64Array;
  assert.ok(loss instanceof Float64Array && rows.total === 3);
  assert.deepEqual(Array.from(loss, (x) => x.toFixed(3)), ["91.676", "111.676", "131.676"]); // contract of batches
  assert.equal(((await client.batchRun(id, 0)).input as { dist_km: number }).dist_km, 1);
});

test("key", service, async () => {
  const { key } = await client.issueKey("clients");
  near((await new Slipstick({ baseUrl: SLIPSTICK_URL!, apiKey: key }).call("vswr", { vswr: 3 })).reflection_coefficient, 0.5);
});

test("retries", scripted, async () => {
  near((await fake.call("fspl", { freq_mhz: 1, dist_km: 1 })).fspl_db, 42);
});

test("daily limit", scripted, async () => {
  const error = await rejected(fake.call("link_budget", { tx_dbm: 0, freq_mhz: 1, dist_km: 1 }));
  assert.deepEqual([error.status, error.retryAfterMs], [429, 3_600_000]);
});

test("proxy", scripted, async () => {
  assert.equal((await rejected(fake.call("dipole", { freq_mhz: 1 }))).status, 502);
});

test("abort", scripted, async () => {
  const call = fake.call("spice_simulate", { netlist: "x" }, { signal: AbortSignal.timeout(1000) });
  await assert.rejects(call, { name: "TimeoutError" });
});

test("events", scripted, async () => {
  const { id } = await fake.createBatch({ tool: "fspl" });
  const names: string[] = [];
  for await (const event of fake.batchEvents(id)) {
    JSON.parse(event.data);
    names.push(event.name);
  }
  assert.deepEqual(names, ["progress", "rows", "end"]);
  assert.deepEqual((await fake.batchRun(id, 0)).input, { dist_km: 7 });
});

// @ts-expect-error dist_km is required
void (() => client.call("fspl", { freq_mhz: 915 }));
// @ts-expect-error there is no such tool
void (() => client.call("fslp", {}));
