// Ten tools and a queued one by the types of openapi-typescript with openapi-fetch.
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/schema.js";
import { check, divided, netlist } from "./check.js";
declare const process: { argv: string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] });
const fspl = await client.POST("/api/fspl", { body: { freq_mhz: 915, dist_km: 5 } });
check("fspl", fspl.data?.result.fspl_db, 105.65560518993271);
const link = await client.POST("/api/link_budget", { body: { tx_dbm: 20, freq_mhz: 915, dist_km: 5 } });
const margin: number | null | undefined = link.data?.result.margin_db;
check("link_budget", margin, null);
const dipole = await client.POST("/api/dipole", { body: { freq_mhz: 915, type: "half_wave" } });
check("dipole", dipole.data?.result.wavelength_m, 0.32764203060109287);
const cascade = await client.POST("/api/noise_figure_cascade", { body: { stages: [{ nf_db: 2, gain_db: 10 }] } });
check("noise_figure_cascade", cascade.data?.result.total_nf_db, 2);
const airtime = await client.POST("/api/lora_airtime", { body: { payload_bytes: 20, bw_khz: 125 } });
check("lora_airtime", airtime.data?.result.airtime_ms, 370.688);
const ohm = await client.POST("/api/ohms_law", { body: { voltage_v: 5, current_a: 0.02 } });
check("ohms_law", ohm.data?.result.resistance_ohm, 250);
const vswr = await client.POST("/api/vswr", { body: { vswr: 3 } });
check("vswr", vswr.data?.result.reflection_coefficient, 0.5);
const pool = await client.POST("/api/zfs_capacity", { body: { raid_level: "raidz2", drive_size_tb: 4, drives_per_vdev: 6 } });
check("zfs_capacity", pool.data?.result.raw_tb, 24);
const days = await client.POST("/api/date_difference", { body: { start_date: "2026-01-01", end_date: "2026-02-01" } });
check("date_difference", days.data?.result.total_days, 31);
const template = await client.POST("/api/spice_template", { body: { template: "voltage_divider", params: {} } });
check("spice_template", template.data?.result.template_name, "voltage_divider");

// @ts-expect-error dist_km is required
const wrong = await client.POST("/api/fspl", { body: { freq_mhz: 915 } });
check("a missing field", wrong.error?.errors?.[0].field, "dist_km");

const accepted = await client.POST("/api/spice_simulate", {
  body: { netlist: netlist("openapi-typescript") },
  params: { header: { Prefer: "respond-async" } },
});
check("202", accepted.response.status, 202);
if (accepted.data && "id" in accepted.data) {
  const job = await client.GET("/api/jobs/{id}", {
    params: { path: { id: accepted.data.id }, header: { Prefer: "wait=20" } },
  });
  check("the job", job.data?.state, "done");
  check("spice_simulate", divided(job.data?.result?.result), 5);
} else {
  check("the job of 202", undefined, "an id");
}
