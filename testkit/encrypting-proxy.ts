import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { ClientConfig } from "pg";
import { certificateFor, type TestCertificate } from "./certificate.ts";

/** A PostgreSQL that offers encryption, with a certificate of its own for localhost: TLS ends here. */
export interface EncryptingProxy {
  readonly port: number;
  readonly certificate: TestCertificate;
  close(): Promise<void>;
}

export async function openEncryptingProxy({ host = "127.0.0.1", port = 5432 }: ClientConfig): Promise<EncryptingProxy> {
  const certificate = certificateFor("localhost");
  const secureContext = createSecureContext(certificate);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    // whoever asks for no encryption is refused
    track(near).once("data", (chunk) => {
      if (chunk.readInt32BE(4) !== 80_877_103) {
        near.destroy();
        return;
      }
      near.write("S");
      const inside = track(new TLSSocket(near, { isServer: true, secureContext }));
      const far = track(host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
      inside.pipe(far).pipe(inside);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    certificate,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
