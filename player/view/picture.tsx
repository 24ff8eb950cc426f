/** @jsxImportSource #draw */
interface PictureProps {
  url: string | null | undefined;
  alt?: string | null | undefined;
  kind: "cover" | "wide" | "square" | "small";
  /** whether its room is there without a picture too */
  keepsRoom?: boolean;
}

/**
 * An image in a box that has its size before the image is there [player.no-shift]. One that cannot be had leaves the
 * empty box.
 */
export const Picture = ({ url, alt, kind, keepsRoom = false }: PictureProps) =>
  url || keepsRoom ? (
    <span class={`picture ${kind}`}>
      {url && <img key={url} src={url} alt={alt ?? ""} decoding="async" onError={hide} />}
    </span>
  ) : null;

const hide = ({ currentTarget }: { currentTarget: HTMLImageElement }): void => {
  currentTarget.hidden = true;
};
