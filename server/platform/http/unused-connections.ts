import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Closes connections without a request under way when the server stops [operations.stop]. Node's own way leaves out those
 * on which no request was begun, such as browsers and proxies open ahead, or none was finished, and those whose last
 * request is answered later.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  /** with the number of requests under way */
  const open = new Map<Socket, number>();
  let isClosing = false;
  app.server.on("connection", (socket: Socket) => {
    open.set(socket, 0);
    socket.once("close", () => open.delete(socket));
  });
  const count = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (open.get(socket) ?? 1) - 1;
      if (open.has(socket)) open.set(socket, left);
      if (isClosing && left === 0) socket.destroySoon();
    });
  };
  // not `checkContinue` too: whoever listens to that has to send the 100 itself
  app.server.on("request", count);
  app.addHook("preClose", async () => {
    isClosing = true;
    for (const [socket, requests] of open) if (requests === 0) socket.destroy();
  });
}
