import { useState } from "preact/hooks";

interface PictureProps {
  url: string | null | undefined;
  alt?: string | null | undefined;
  kind: "cover" | "wide" | "card" | "small" | "product";
  /** whether its room is there without a picture too */
  keepsRoom?: boolean;
}

/** An image in a box that has its size before the image is there. One that cannot be had leaves the empty box. */
export function Picture({ url, alt, kind, keepsRoom = false }: PictureProps) {
  const [failed, setFailed] = useState<string | null>(null);
  const isThere = Boolean(url) && url !== failed;
  if (!url && !keepsRoom) return null;
  return (
    <span class={`picture ${kind}`}>
      {isThere && <img src={url ?? ""} alt={alt ?? ""} decoding="async" onError={() => setFailed(url ?? null)} />}
    </span>
  );
}
