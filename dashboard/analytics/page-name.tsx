import { Badge } from "@mantine/core";

/** A page's title; one that the quiz has no more is marked as such. */
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
