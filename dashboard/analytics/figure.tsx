import { Button } from "@mantine/core";
import { type ReactNode, Suspense, useId, useState } from "react";
import { IconCode, IconExport } from "../ui/icons.tsx";
import type { ApiCall } from "./api-call.ts";
import { csvOf, fileName } from "./csv.ts";
import { downloadText } from "./download.ts";
import type { FigureTable } from "./figure-table.ts";
import { FigureTableView } from "./figure-table-view.tsx";
import { IconPicture, IconTable } from "./icons.tsx";
import "./figures.css";
import { latePart } from "../app/late.tsx";

const CallDialog = latePart(() => import("./call-dialog.tsx"), "CallDialog");

export interface FigureProps {
  /** the name that tests find it by */
  name: string;
  title: string;
  note?: ReactNode;
  table: FigureTable;
  /** other tables of the same answer, shown below the main one */
  more?: readonly { name: string; title: string; table: FigureTable }[];
  call: ApiCall;
  /** the parts of the file's name, from general to specific */
  file: readonly string[];
  controls?: ReactNode;
  /** the figures shown belong to the previous filters, until the new ones arrive */
  busy?: boolean;
  children: ReactNode;
}

/** A chart with its table, its CSV download and the API call behind it. */
export function Figure({ name, title, note, table, more = [], call, file, controls, busy, children }: FigureProps) {
  const [asTable, setAsTable] = useState(false);
  const [showsCall, setShowsCall] = useState(false);
  const heading = useId();
  return (
    <section aria-labelledby={heading} aria-busy={busy ?? false} data-figure={name} className="qs-card qs-figure-card">
      <div className="qs-figure-top">
        <div className="qs-figure-title">
          <h2 id={heading} className="qs-name">
            {title}
          </h2>
          {note === undefined ? null : <div className="qs-dim">{note}</div>}
        </div>
        <div className="qs-figure-actions">
          {controls}
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-pressed={asTable}
            leftSection={asTable ? <IconPicture /> : <IconTable />}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? "As a picture" : "As a table"}
          </Button>
          <CsvButton title={title} table={table} file={file} />
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconCode />}
            onClick={() => setShowsCall(true)}
            aria-label={`API call of ${title}`}
          >
            API call
          </Button>
        </div>
      </div>
      {asTable ? (
        <>
          <FigureTableView table={table} label={title} />
          {more.map((other) => (
            <div key={other.title}>
              <div className="qs-figure-more">
                <h3>{other.title}</h3>
                <CsvButton title={other.title} table={other.table} file={[...file, other.name]} />
              </div>
              <FigureTableView table={other.table} label={other.title} />
            </div>
          ))}
        </>
      ) : (
        children
      )}
      {showsCall ? (
        <Suspense>
          <CallDialog call={call} title={title} onClose={() => setShowsCall(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}

const CsvButton = ({ title, table, file }: Pick<FigureProps, "title" | "table" | "file">) => (
  <Button
    variant="subtle"
    color="gray"
    size="compact-sm"
    leftSection={<IconExport />}
    onClick={() => downloadText(fileName(file), csvOf(table))}
    aria-label={`CSV of ${title}`}
  >
    CSV
  </Button>
);
