import { useState } from "react";
import { isImageAddress } from "../../../engine/addresses.ts";
import { useCatalog, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { TextField } from "./fields.tsx";

interface PictureFieldProps {
  path: Path;
  label: string;
  empty: "null" | "left out";
}

/** A picture's address with a preview, or a note that it does not load [editor.pictures]. */
export function PictureField({ path, label, empty }: PictureFieldProps) {
  const address = useValue<string | null>(path) ?? "";
  return (
    <div className="qs-ed-picture">
      <TextField path={path} label={label} empty={empty} placeholder="https://…" />
      {isImageAddress(address) && <Picture key={address} address={address} />}
    </div>
  );
}

function Picture({ address }: { address: string }) {
  const { shown } = useCatalog();
  const [failed, setFailed] = useState(false);
  return (
    <div role="status">
      {failed ? (
        <span className="qs-ed-error">No picture could be loaded from there: shoppers see none.</span>
      ) : (
        <span className="qs-ed-thumb">
          <img src={shown(address)} alt="" onError={() => setFailed(true)} />
        </span>
      )}
    </div>
  );
}
