import { ColorInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { contrastRatio } from "../../../engine/contrast.ts";
import type { Theme } from "../../../engine/document.ts";
import { textNames } from "../../../engine/text-names.ts";
import { drawnPairs, paletteOf, schemesOf } from "../../../engine/theme.ts";
import { languageOf, loadTexts } from "../../../player/texts/load-texts.ts";
import { useFinding, useReadOnly, useSet, useValue } from "../context.tsx";
import { saidOf } from "../document/finding-words.ts";
import { ChoiceField, NumberField, TextField } from "../parts/fields.tsx";
import { PictureField } from "../parts/picture-field.tsx";

const languages = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "ja", "ar"];
const nameOf = (tag: string): string => new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag;

/** The quiz's look and texts, next to the preview. */
export function LookTab() {
  return (
    <section className="qs-ed-form" aria-label="Look and texts">
      <h2>Colours</h2>
      <ChoiceField
        path={theme("scheme")}
        label="Scheme"
        fallback="light"
        data={[
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
          { value: "auto", label: "As the shopper's device" },
        ]}
      />
      <div className="qs-ed-pair">
        {colours.map(([name, label]) => (
          <ColourField key={name} name={name} label={label} />
        ))}
      </div>
      <Contrast />
      <h2>Shape</h2>
      <div className="qs-ed-pair">
        <NumberField path={theme("radius")} label="Corners" otherwise={undefined} description="0 to 32" />
        <NumberField path={theme("width")} label="Width" otherwise={undefined} description="320 to 1,200" />
      </div>
      <TextField
        path={theme("font")}
        label="Font"
        empty="left out"
        placeholder="inherit"
        description="inherit is the shop's own"
      />
      <Behaviour />
      <h2>Language and texts</h2>
      <ChoiceField
        path={["presentation", "locale"]}
        label="Language"
        otherwise={undefined}
        clearable
        data={languages.map((value) => ({ value, label: nameOf(value) }))}
      />
      <ChoiceField
        path={["presentation", "dir"]}
        label="Direction"
        fallback="auto"
        data={[
          { value: "auto", label: "As the language is written" },
          { value: "ltr", label: "From left to right" },
          { value: "rtl", label: "From right to left" },
        ]}
      />
      <TextField
        path={["presentation", "description"]}
        label="Description"
        empty="left out"
        lines={2}
        description="For link previews"
      />
      <PictureField path={["presentation", "cover_image_url"]} label="Cover picture" empty="left out" />
      <Words />
    </section>
  );
}

/** Texts that the document may override; the player's default in the quiz's language is the placeholder. */
function Words() {
  const locale = useValue<string | null>(["presentation", "locale"]) ?? "en";
  const language = languageOf(locale);
  const { data } = useQuery({ queryKey: ["texts", language], queryFn: () => loadTexts(language) });
  const placeholders: Readonly<Record<string, string>> = data ?? {};
  const texts = useValue<Record<string, string>>(["presentation", "texts"]) ?? {};
  // texts that the player does not know: clearing one removes it
  const others = Object.keys(texts).filter((name) => !textNames.some((known) => known === name));
  return (
    <details className="qs-ed-texts">
      <summary>Words on buttons and messages</summary>
      {[...textNames, ...others].map((name) => (
        <TextField
          key={name}
          path={["presentation", "texts", name]}
          label={name.replaceAll("_", " ")}
          empty="left out"
          placeholder={placeholders[name] ?? ""}
        />
      ))}
    </details>
  );
}

const theme = (name: keyof Theme) => ["presentation", "theme", name];

const colours = [
  ["accent", "Accent"],
  ["background", "Background"],
  ["surface", "Cards"],
  ["text", "Text"],
] as const;

const nameOfColour = Object.fromEntries(colours) as Readonly<Record<(typeof colours)[number][0], string>>;

function ColourField({ name, label }: { name: (typeof colours)[number][0]; label: string }) {
  const path = theme(name);
  const value = useValue<string>(path) ?? "";
  const set = useSet(path, "change a colour");
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  return (
    <ColorInput
      label={label}
      data-field={path.join(".")}
      format="hex"
      placeholder="the player's own"
      withEyeDropper={false}
      // the lint reports invalid colours; a blur must not change them
      fixOnBlur={false}
      readOnly={readOnly}
      value={value}
      error={finding ? saidOf(finding) : undefined}
      onChange={(next) => set(next === "" ? undefined : next)}
      popoverProps={{ withinPortal: true }}
    />
  );
}

/** The contrast of each pair of colours as the player renders them. */
function Contrast() {
  const value = useValue<Theme>(["presentation", "theme"]);
  const pairs = useMemo(
    () =>
      schemesOf(value ?? {}).flatMap((scheme) => {
        const palette = paletteOf(value ?? {}, scheme);
        return drawnPairs.map(({ text, on }) => ({
          name: `${nameOfColour[text]} on ${nameOfColour[on].toLowerCase()}${value?.scheme === "auto" ? `, ${scheme}` : ""}`,
          ratio: contrastRatio(palette[text], palette[on]),
        }));
      }),
    [value],
  );
  return (
    <ul className="qs-ed-contrast" aria-label="Contrast">
      {pairs.map(({ name, ratio }) => (
        <li key={name} data-low={ratio < 4.5 || undefined}>
          {name}: {Number.isFinite(ratio) ? `${(Math.floor(ratio * 10) / 10).toFixed(1)} to 1` : "–"}
          {ratio < 4.5 && " (below 4.5: the player draws a colour that can be read)"}
        </li>
      ))}
    </ul>
  );
}

const Behaviour = () => (
  <>
    <ChoiceField
      path={["presentation", "progress"]}
      label="Progress"
      fallback="bar"
      data={[
        { value: "bar", label: "Bar" },
        { value: "steps", label: "Steps" },
        { value: "none", label: "None" },
      ]}
    />
    <ChoiceField
      path={["presentation", "advance"]}
      label="After a single choice"
      fallback="auto"
      data={[
        { value: "auto", label: "Goes on by itself" },
        { value: "button", label: "Waits for the button" },
      ]}
    />
    <Text size="xs" c="dimmed">
      The preview beside shows it at once.
    </Text>
  </>
);
