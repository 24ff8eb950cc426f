import pg from "pg";

/**
 * Cancels whatever a connection runs [api.request-time], by the protocol's own request on a connection for it alone.
 * Behind a pooler, the process ids that statements see are not those that the pooler gives to its clients; and
 * a statement that cancels would need a connection of a pool, which may be all in use.
 *
 * Resolves when the request was passed on, whether or not there was anything to cancel; rejects if it cannot be sent
 * within `withinMs`.
 */
export function cancelStatement(target: pg.Client, withinMs: number): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = target;
  // the driver's types lack the second
  const wanted = { ssl, sslNegotiation };
  const wire = new pg.Connection(wanted);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => wire.stream.destroy(new Error("timeout expired")), withinMs);
  let sent = false;
  const send = () => {
    sent = true;
    wire.cancel(processID, secretKey);
  };
  wire.on("connect", () => {
    if (!ssl) send();
    else if (sslNegotiation !== "direct") wire.requestSsl();
  });
  wire.on("sslconnect", send);
  // the server's only answer is that it closes the connection, gracefully or not
  wire.on("error", (error: Error) => (sent ? resolve() : reject(error)));
  wire.on("end", resolve);
  if (host.startsWith("/")) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  return promise.finally(() => {
    clearTimeout(timer);
    wire.stream.destroy();
  });
}
