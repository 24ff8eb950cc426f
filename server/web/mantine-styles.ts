import type { Plugin } from "vite";

/**
 * Mantine's style sheet is 40 KB in gzip, mostly for unused components. Each component has a module with the class
 * names of its own style sheet; this plugin makes that module import the style sheet, so that each part of the
 * dashboard loads only the styles of what it draws.
 */

const classes = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;

export const mantineStyles = (): Plugin => ({
  name: "quizstore-mantine-styles",
  transform: {
    filter: { id: classes },
    handler(code, id) {
      const name = classes.exec(id)?.[1];
      return `import "@mantine/core/styles/${name}.layer.css";\n${code}`;
    },
  },
});
