import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/**
 * Colours and shapes of the dashboard [dashboard.accessible]. Every text has a contrast of at least 4.5 to 1 with its
 * background.
 */

const leaf: MantineColorsTuple = [
  ...(["#eef8f2", "#dcefe4", "#b5dec8", "#8accaa", "#66bd90"] as const),
  ...(["#4fb37f", "#43ae76", "#1f7a4c", "#1a6b42", "#115c37"] as const),
];

/** Mantine renders some texts in the plain colour, which is too pale for many people to read. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const { variant, color = "leaf" } = input;
  // white on the palette's own red has slightly too little contrast
  if (variant === "filled" && color === "red") {
    return { ...resolved, background: "#c02a2a", hover: "#a61e1e", color: "#ffffff" };
  }
  if (!["light", "subtle", "outline", "transparent"].includes(variant) || !/^[a-z]+$/.test(color)) return resolved;
  return { ...resolved, color: `var(--qs-${color}-text, ${resolved.color})` };
};

export const theme = createTheme({
  primaryColor: "leaf",
  primaryShade: { light: 7, dark: 8 },
  colors: { leaf },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: "md",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: "650", sizes: { h1: { fontSize: "1.5rem", lineHeight: "1.3" } } },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    Badge: { defaultProps: { tt: "none" } },
    Table: { defaultProps: { verticalSpacing: "xs" } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, events: { hover: true, focus: true, touch: false } } },
    // almost every field is required; optional fields say so
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // a dialog's heading must not be a second page banner
    ModalHeader: { defaultProps: { role: "presentation" } },
    DrawerHeader: { defaultProps: { role: "presentation" } },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
  },
});

const textColours = ["leaf", "gray", "red", "orange", "yellow", "green", "teal", "blue", "indigo", "grape", "violet"];
const texts = (shade: number): Record<string, string> =>
  Object.fromEntries(textColours.map((name) => [`--qs-${name}-text`, `var(--mantine-color-${name}-${shade})`]));

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...texts(9),
    // the palette has no dark yellow that is readable on white
    "--qs-yellow-text": "#7a4a00",
    "--qs-orange-text": "#8a3500",
    "--qs-green-text": "#1f5f2d",
    "--qs-teal-text": "#065f46",
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c02a2a",
    "--mantine-color-anchor": "#17663f",
    "--qs-ground": "#f7f8f7",
    "--qs-surface": "#ffffff",
    "--qs-line": "#e3e6e3",
  },
  dark: {
    ...texts(2),
    "--mantine-color-dimmed": "#a3a9af",
    "--mantine-color-placeholder": "#8f959b",
    "--mantine-color-error": "#ff9b9b",
    "--mantine-color-anchor": "#8accaa",
    "--qs-ground": "#1b1d1c",
    "--qs-surface": "#242625",
    "--qs-line": "#3a3d3b",
  },
});
