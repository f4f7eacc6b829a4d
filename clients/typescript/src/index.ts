/**
 * Client of the Slipstick service: typed calls of its tools, waiting for long computations,
 * progress, and batches. It uses fetch alone.
 */
import type { Batch, BatchRequest, BatchRun, DryRun, Envelope, IssuedKey, Job, Problem, Tools } from "./types.gen.js";
import { readEvents, type ServerEvent } from "./events.js";

export type * from "./types.gen.js";
export type { ServerEvent } from "./events.js";

/** Options of a client. */
export interface Options {
  /** Address of the service, such as http://localhost:8080. */
  baseUrl: string;
  /** API key, sent with every request. */
  apiKey?: string;
  /** How often a request is sent at most: after 429, 503 and a lost connection. Default 4. */
  attempts?: number;
  /** Longest Retry-After that is waited for, in milliseconds. Default 30,000. */
  maxRetryMs?: number;
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; a queued computation is then cancelled. AbortSignal.timeout(ms) limits the time. */
  signal?: AbortSignal;
  /** Called with each state of a queued computation. */
  onProgress?: (job: Job) => void;
}

/** Names of the tools. */
export type ToolName = keyof Tools;

/** The response of a tool. */
export type Response<T extends ToolName> = Omit<Envelope, "result"> & { result: Tools[T]["result"] };

/** A column of a batch: numbers, with NaN for a value that a run lacks, else the values as they are. */
export type Column = Float64Array | Array<number | string | boolean | null>;

/** The finished runs of a batch by column: index, varied fields, collected names, error. */
export interface Rows {
  columns: Record<string, Column>;
  count: number;
  total: number;
}

/** The problem document of a rejected or failed request (RFC 9457). */
export class SlipstickError extends Error {
  override name = "SlipstickError";
  constructor(
    readonly problem: Problem,
    /** Retry-After in milliseconds; 0: none. */
    readonly retryAfterMs = 0,
  ) {
    super(problem.detail);
  }
  get status(): number {
    return this.problem.status;
  }
}

/** Seconds for which one request waits for a computation. */
const waitS = 20;
const pageRows = 10_000;

type Init = { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal };

/** Calls a service. */
export class Slipstick {
  readonly #base: string;
  readonly #options: Options;

  constructor(options: Options) {
    this.#base = options.baseUrl.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Calls a tool and returns its result. */
  async call<T extends ToolName>(tool: T, input: Tools[T]["input"], options: CallOptions = {}): Promise<Tools[T]["result"]> {
    return (await this.respond(tool, input, options)).result;
  }

  /** Calls a tool and returns its response: the result with tool, version, time and chain. */
  async respond<T extends ToolName>(tool: T, input: Tools[T]["input"], options: CallOptions = {}): Promise<Response<T>> {
    const { signal, onProgress } = options;
    const prefer = onProgress ? "respond-async" : `wait=${waitS}`;
    const response = await this.#send("POST", `/api/${tool}`, { body: input, headers: { Prefer: prefer }, signal });
    if (response.status !== 202) return withArrays(await response.json()) as Response<T>;
    return withArrays(await this.#finish(response, options)) as Response<T>;
  }

  /** Waits for the job of a 202 response. */
  async #finish(response: globalThis.Response, options: CallOptions): Promise<Envelope> {
    const { signal, onProgress } = options;
    const accepted = (await response.json()) as Job;
    onProgress?.(accepted);
    try {
      const job = await this.#follow(accepted.id, options);
      if (job.problem) throw new SlipstickError(job.problem);
      return job.result as Envelope;
    } catch (error) {
      if (signal?.aborted) await this.#once("DELETE", `/api/jobs/${accepted.id}`, { signal: AbortSignal.timeout(2000) }).catch(() => {});
      throw error;
    }
  }

  async #follow(id: string, { signal, onProgress }: CallOptions): Promise<Job> {
    if (onProgress) {
      try {
        for await (const event of this.#events(`/api/jobs/${id}/events`, signal)) {
          if (event.name === "job") onProgress(JSON.parse(event.data) as Job);
        }
      } catch {
        signal?.throwIfAborted(); // otherwise polling reports the error
      }
    }
    for (;;) {
      const response = await this.#send("GET", `/api/jobs/${id}`, { headers: { Prefer: `wait=${waitS}` }, signal });
      const job = (await response.json()) as Job;
      if (job.finished_at) return job;
      onProgress?.(job);
      if (!response.headers.get("Preference-Applied")) await sleep(retryAfterMs(response), signal); // it has not waited
    }
  }

  /** Issues a free API key. */
  issueKey(label: string, signal?: AbortSignal): Promise<IssuedKey> {
    return this.#json("POST", "/api/keys", { body: { label }, headers: idempotencyKey(), signal });
  }

  /** Starts a batch. A request that is repeated after a lost connection makes one batch. */
  createBatch(request: Omit<BatchRequest, "dry_run">, signal?: AbortSignal): Promise<Batch> {
    return this.#json("POST", "/api/batches", { body: request, headers: idempotencyKey(), signal });
  }

  /** Validates the input of every run. Nothing is computed or counted. */
  dryRunBatch(request: BatchRequest, signal?: AbortSignal): Promise<DryRun> {
    return this.#json("POST", "/api/batches", { body: { ...request, dry_run: true }, signal });
  }

  /** Returns the state of a batch. */
  batch(id: string, signal?: AbortSignal): Promise<Batch> {
    return this.#json("GET", `/api/batches/${id}`, { signal });
  }

  /** Cancels a batch. Its rows are kept. */
  cancelBatch(id: string, signal?: AbortSignal): Promise<Batch> {
    return this.#json("DELETE", `/api/batches/${id}`, { signal });
  }

  /** Waits for the end of a batch. It continues when the signal aborts; cancelBatch cancels it. */
  async waitBatch(id: string, { signal, onProgress }: { signal?: AbortSignal; onProgress?: (batch: Batch) => void } = {}): Promise<Batch> {
    for (let wait = 50; ; wait = Math.min(2 * wait, 2000)) {
      const batch = await this.batch(id, signal);
      onProgress?.(batch);
      if (batch.state !== "queued" && batch.state !== "running" && batch.summary !== undefined) return batch;
      await sleep(wait, signal);
    }
  }

  /** Returns all rows of a batch up to the first run that is not finished. */
  async batchRows(id: string, signal?: AbortSignal): Promise<Rows> {
    const columns: Record<string, Array<number | string | boolean | null>> = {};
    for (let count = 0; ; ) {
      const page = await this.#json<{ columns: typeof columns; count: number; total: number }>(
        "GET", `/api/batches/${id}/results?from=${count}&limit=${pageRows}`, { signal });
      for (const [name, values] of Object.entries(page.columns)) columns[name] = (columns[name] ?? []).concat(values);
      count += page.count;
      if (page.count === 0 || count >= page.total) {
        const arrays = Object.entries(columns).map(([name, values]): [string, Column] => [name, name === "error" ? values : numbers(values)]);
        return { columns: Object.fromEntries(arrays), count, total: page.total };
      }
    }
  }

  /** Computes a run again and returns its full result. */
  async batchRun(id: string, index: number, signal?: AbortSignal): Promise<BatchRun> {
    for (;;) {
      const response = await this.#send("GET", `/api/batches/${id}/runs/${index}`, { signal });
      if (response.status !== 202) return withArrays(await response.json()) as BatchRun;
      // The job of the run has its result, but not its input: the run is then asked for again.
      await this.#finish(response, signal ? { signal } : {});
    }
  }

  /** Returns the events of a batch until its end: progress, rows, summary, end. */
  batchEvents(id: string, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    return this.#events(`/api/batches/${id}/events`, signal);
  }

  /** Reads events up to "end". An interrupted stream is resumed after its last event. */
  async *#events(path: string, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    let last = "";
    for (let failed = 1; failed <= this.#attempts; failed++) {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const response = await this.#send("GET", path, { headers, signal });
      try {
        for await (const event of readEvents(response.body!, last)) {
          failed = 0;
          last = event.id;
          yield event;
          if (event.name === "end") return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (failed >= this.#attempts) throw error;
      }
    }
    throw new Error("the stream of events ended early");
  }

  get #attempts(): number {
    return this.#options.attempts ?? 4;
  }

  async #json<T>(method: string, path: string, init: Init): Promise<T> {
    return (await (await this.#send(method, path, init)).json()) as T;
  }

  /** Sends a request until it gets a response. Tools are pure; others have an Idempotency-Key. */
  async #send(method: string, path: string, init: Init): Promise<globalThis.Response> {
    for (let attempt = 1; ; attempt++) {
      let wait = 100 * 2 ** attempt;
      let failure: unknown;
      try {
        const response = await this.#once(method, path, init);
        if (response.ok) return response;
        const problem = new SlipstickError(await readProblem(response), retryAfterMs(response));
        failure = problem;
        wait = problem.retryAfterMs;
        if (!wait || ![409, 429, 503].includes(problem.status) || wait > (this.#options.maxRetryMs ?? 30_000)) throw problem;
      } catch (error) {
        init.signal?.throwIfAborted();
        if (error === failure) throw error;
        failure = error;
      }
      if (attempt >= this.#attempts) throw failure;
      await sleep(wait, init.signal);
    }
  }

  #once(method: string, path: string, { body, headers, signal }: Init): Promise<globalThis.Response> {
    const all: Record<string, string> = { ...headers };
    if (body !== undefined) all["Content-Type"] = "application/json";
    if (this.#options.apiKey) all["X-Api-Key"] = this.#options.apiKey;
    const text = body === undefined ? null : JSON.stringify(body);
    return (this.#options.fetch ?? fetch)(this.#base + path, { method, body: text, headers: all, signal: signal ?? null });
  }
}

function idempotencyKey(): Record<string, string> {
  // randomUUID is missing in pages that are not secure contexts.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { "Idempotency-Key": Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("") };
}

function retryAfterMs(response: globalThis.Response): number {
  return 1000 * (Number.parseInt(response.headers.get("Retry-After") ?? "", 10) || 0);
}

async function readProblem(response: globalThis.Response): Promise<Problem> {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Problem;
    if (problem.detail) return { ...problem, status: response.status };
  } catch {
    // of a proxy
  }
  const title = `${response.status} ${response.statusText}`;
  return { type: "about:blank", title, status: response.status, detail: title, instance: "", request_id: "" };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => (clearTimeout(timer), reject(signal?.reason));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns numbers as an array of them, other values unchanged. */
function numbers(values: Array<number | string | boolean | null>): Column {
  if (!values.every((v) => v === null || typeof v === "number")) return values;
  return Float64Array.from(values, (v) => (v === null ? NaN : (v as number)));
}

/** Replaces the vectors of a simulation by arrays of numbers. */
function withArrays(envelope: Envelope): Envelope {
  if (envelope.tool !== "spice_simulate") return envelope;
  const result = envelope.result as { vectors?: Record<string, number[] | Float64Array>; analyses?: unknown[] };
  for (const analysis of [result, ...((result.analyses ?? []) as (typeof result)[])]) {
    for (const [name, values] of Object.entries(analysis.vectors ?? {})) analysis.vectors![name] = Float64Array.from(values);
  }
  return envelope;
}
