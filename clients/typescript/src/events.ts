/** A server-sent event. */
export interface ServerEvent {
  /** Of the latest event that has one. */
  id: string;
  name: string;
  data: string;
}

/** Reads the events of a stream until it ends. */
export async function* readEvents(stream: ReadableStream<Uint8Array>, last = ""): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event: ServerEvent = { id: last, name: "message", data: "" };
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { ...event, data: data.join("\n") };
          event = { id: event.id, name: "message", data: "" };
          data = [];
          continue;
        }
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") event.name = text;
        if (name === "data") data.push(text);
        if (name === "id") event.id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => {}); // also when the caller stops reading
  }
}
