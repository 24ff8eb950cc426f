import { Badge } from "@mantine/core";

/** A page's title; a page that the quiz no longer has is marked. */
export function PageName({ page, text }: { page: { removed: boolean } | undefined; text: string }) {
  return (
    <>
      {text === "" ? "Untitled page" : text}
      {page?.removed ? (
        <Badge size="xs" variant="light" color="gray">
          Removed
        </Badge>
      ) : null}
    </>
  );
}
