// Comparisons of the test programs of the TypeScript generators.
declare const process: { exitCode?: number };

export function check(name: string, got: unknown, want: number | string | null): void {
  const same =
    typeof want === "number" && typeof got === "number" ? Math.abs(got - want) <= 1e-9 * Math.abs(want) : got === want;
  if (!same) {
    console.error(`${name}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    process.exitCode = 1;
  }
}

// netlist is a job of its own for each program.
export const netlist = (name: string) => `${name} ${Date.now()}\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end`;

// divided returns v(out) of a result that has no type.
export function divided(result: unknown): unknown {
  return (result as { vectors: Record<string, number[]> } | undefined)?.vectors["v(out)"][0];
}
