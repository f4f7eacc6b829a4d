// Ten tools and a queued one by the fetch client of orval. Its address is that of the generation.
import * as api from "./orval/client.js";
import { check, divided, netlist } from "./check.js";

const fspl = await api.computeFspl({ freq_mhz: 915, dist_km: 5 });
check("fspl", fspl.status === 200 ? fspl.data.result.fspl_db : fspl.status, 105.65560518993271);
const link = await api.computeLinkBudget({ tx_dbm: 20, freq_mhz: 915, dist_km: 5 });
const margin: number | null = link.status === 200 ? link.data.result.margin_db : link.status;
check("link_budget", margin, null);
const dipole = await api.computeDipole({ freq_mhz: 915, type: "half_wave" });
check("dipole", dipole.status === 200 && dipole.data.result.wavelength_m, 0.32764203060109287);
const cascade = await api.computeNoiseFigureCascade({ stages: [{ nf_db: 2, gain_db: 10 }] });
check("noise_figure_cascade", cascade.status === 200 && cascade.data.result.total_nf_db, 2);
const airtime = await api.computeLoraAirtime({ payload_bytes: 20, bw_khz: 125 });
check("lora_airtime", airtime.status === 200 && airtime.data.result.airtime_ms, 370.688);
const ohm = await api.computeOhmsLaw({ voltage_v: 5, current_a: 0.02 });
check("ohms_law", ohm.status === 200 && ohm.data.result.resistance_ohm, 250);
const vswr = await api.computeVswr({ vswr: 3 });
check("vswr", vswr.status === 200 && vswr.data.result.reflection_coefficient, 0.5);
const pool = await api.computeZfsCapacity({ raid_level: "raidz2", drive_size_tb: 4, drives_per_vdev: 6 });
check("zfs_capacity", pool.status === 200 && pool.data.result.raw_tb, 24);
const days = await api.computeDateDifference({ start_date: "2026-01-01", end_date: "2026-02-01" });
check("date_difference", days.status === 200 && days.data.result.total_days, 31);
const template = await api.computeSpiceTemplate({ template: "voltage_divider", params: {} });
check("spice_template", template.status === 200 && template.data.result.template_name, "voltage_divider");

// @ts-expect-error dist_km is required
const wrong = await api.computeFspl({ freq_mhz: 915 });
check("a missing field", wrong.status === 400 && wrong.data.errors?.[0].field, "dist_km");

const accepted = await api.computeSpiceSimulate({ netlist: netlist("orval") }, { headers: { Prefer: "respond-async" } });
check("202", accepted.status, 202);
if (accepted.status === 202) {
  const job = await api.getJob(accepted.data.id, { headers: { Prefer: "wait=20" } });
  check("the job", job.status === 200 && job.data.state, "done");
  check("spice_simulate", job.status === 200 && divided(job.data.result?.result), 5);
}
