import { connect } from "node:net";

/** An answer to bytes that no HTTP client would send. */
export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Sends the bytes unchanged and reads until the connection closes, at most 5 s. */
export function rawRequest(port: number, bytes: string): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.setTimeout(5000, () => socket.destroy());
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", (error) => {
      if (received === "") reject(error);
    });
    socket.on("close", () => {
      const [head = "", body = ""] = received.split(/\r\n\r\n([\s\S]*)/);
      const [line = "", ...lines] = head.split("\r\n");
      const headers = lines.map((text): [string, string] => {
        const colon = text.indexOf(":");
        return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
      });
      resolve({ status: Number(line.split(" ")[1]), headers: new Map(headers), body });
    });
  });
}
