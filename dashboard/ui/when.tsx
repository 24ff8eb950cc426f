import { useFormat } from "./use-format.ts";

/** A moment in the store's zone, with the time since then as its tooltip; with `ago` the other way round. */
export function When({ at, ago = false }: { at: string | null; ago?: boolean }) {
  const { dateTime, relative, zone } = useFormat();
  if (at === null) return <span>–</span>;
  const exact = `${dateTime(at)} (${zone})`;
  return (
    <time dateTime={at} title={ago ? exact : `${relative(at)}, ${zone}`}>
      {ago ? relative(at) : dateTime(at)}
    </time>
  );
}
