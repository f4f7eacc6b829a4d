"""Tests against a service at SLIPSTICK_URL, and against a scripted one at SLIPSTICK_FAKE_URL that
is busy, loses connections and interrupts streams (e2e/clients_test.go)."""

import json
import os
import time
import unittest

from slipstick import Client, SlipstickError

try:
    import numpy
except ImportError:
    numpy = None


@unittest.skipUnless(os.environ.get("SLIPSTICK_URL"), "SLIPSTICK_URL is not set")
class ServiceTest(unittest.TestCase):
    client = Client(os.environ.get("SLIPSTICK_URL", ""))

    def near(self, got: object, want: float) -> None:
        assert isinstance(got, (int, float))
        self.assertAlmostEqual(got, want, delta=1e-9 * abs(want))

    def test_tools(self) -> None:
        # Expected values: those of e2e/testdata/generators.
        c = self.client
        self.near(c.fspl(freq_mhz=915, dist_km=5)["fspl_db"], 105.65560518993271)
        link = c.link_budget(tx_dbm=20, freq_mhz=915, dist_km=5)
        self.near(link["eirp_dbm"], 22.15)
        self.assertIsNone(link.get("margin_db"))
        self.near(c.dipole(freq_mhz=915, type="half_wave")["wavelength_m"], 0.32764203060109287)
        self.near(c.noise_figure_cascade(stages=[{"nf_db": 2, "gain_db": 10}])["total_nf_db"], 2)
        self.near(c.lora_airtime(payload_bytes=20, bw_khz=125)["airtime_ms"], 370.688)
        self.near(c.ohms_law(voltage_v=5, current_a=0.02)["resistance_ohm"], 250)
        self.near(c.vswr(vswr=3)["reflection_coefficient"], 0.5)
        self.near(c.zfs_capacity(raid_level="raidz2", drive_size_tb=4, drives_per_vdev=6)["raw_tb"], 24)
        self.near(c.date_difference(start_date="2026-01-01", end_date="2026-02-01")["total_days"], 31)
        self.near(c.spice_template(template="voltage_divider", params={})["component_count"], 3)
        self.assertEqual(c.call("fspl", {"freq_mhz": 915, "dist_km": 5})["tool"], "fspl")

    def test_problem(self) -> None:
        with self.assertRaises(SlipstickError) as caught:
            self.client.fspl(freq_mhz=-1, dist_km=5)
        self.assertEqual(caught.exception.status, 400)
        self.assertEqual(caught.exception.problem.get("errors", [{}])[0].get("field"), "freq_mhz")

    def test_simulation(self) -> None:
        netlist = f"Python {time.time_ns()}\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end"
        states = []
        with_progress = self.client.with_options(timeout_s=60, on_progress=lambda job: states.append(job["state"]))
        for client, text in ((self.client, netlist), (with_progress, "again " + netlist)):
            vector = client.spice_simulate(netlist=text)["vectors"]["v(out)"]
            self.near(float(vector[0]), 5)
            self.assertIs(type(vector), list if numpy is None else numpy.ndarray)
        self.assertTrue(states)

    def test_batch(self) -> None:
        c = self.client
        vary = {"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}
        request = {"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [vary]}
        self.assertEqual(c.dry_run_batch(request)["runs_total"], 3)  # type: ignore[arg-type]
        batch = c.create_batch(request)  # type: ignore[arg-type]
        states = []
        done = c.wait_batch(batch["id"], lambda b: states.append(b["state"]))
        self.assertEqual((done["state"], done["runs_done"], states[-1]), ("done", 3, "done"))
        rows = c.batch_rows(batch["id"])
        self.assertEqual((rows.count, rows.total), (3, 3))
        for got, want in zip(rows.columns["fspl_db"], (91.676, 111.676, 131.676)):  # contract of batches
            self.assertAlmostEqual(float(got), want, delta=5e-4)
        self.assertEqual(c.batch_run(batch["id"], 0)["input"]["dist_km"], 1)

    def test_key(self) -> None:
        key = self.client.issue_key("clients")
        self.near(self.client.with_options(api_key=key["key"]).vswr(vswr=3)["reflection_coefficient"], 0.5)
        with self.assertRaises(TypeError):
            self.client.with_options(apikey="x")


@unittest.skipUnless(os.environ.get("SLIPSTICK_FAKE_URL"), "SLIPSTICK_FAKE_URL is not set")
class ScriptedTest(unittest.TestCase):
    client = Client(os.environ.get("SLIPSTICK_FAKE_URL", ""))

    def test_retries(self) -> None:
        self.assertEqual(self.client.fspl(freq_mhz=1, dist_km=1)["fspl_db"], 42)

    def test_daily_limit(self) -> None:
        with self.assertRaises(SlipstickError) as caught:
            self.client.link_budget(tx_dbm=0, freq_mhz=1, dist_km=1)
        self.assertEqual((caught.exception.status, caught.exception.retry_after_s), (429, 3600))

    def test_proxy(self) -> None:
        with self.assertRaises(SlipstickError) as caught:
            self.client.dipole(freq_mhz=1)
        self.assertEqual(caught.exception.status, 502)

    def test_time_limit(self) -> None:
        with self.assertRaises(TimeoutError):
            self.client.with_options(timeout_s=1).spice_simulate(netlist="x")

    def test_batch(self) -> None:
        batch = self.client.create_batch({"tool": "fspl"})
        events = list(self.client.batch_events(batch["id"]))
        self.assertEqual([e.name for e in events], ["progress", "rows", "end"])
        for event in events:
            json.loads(event.data)
        self.assertEqual(self.client.batch_run(batch["id"], 0)["input"], {"dist_km": 7})


if __name__ == "__main__":
    unittest.main()
