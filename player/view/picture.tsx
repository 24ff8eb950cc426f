/** @jsxImportSource #draw */
interface PictureProps {
  url: string | null | undefined;
  alt?: string | null | undefined;
  kind: "cover" | "wide" | "square" | "small";
  /** whether to keep its space without a picture too */
  keepsRoom?: boolean;
}

/**
 * An image in a box that has its size before the image is loaded [player.no-shift]. If it fails to load, the box stays
 * empty.
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
