import type { Plugin } from "vite";

/**
 * Mantine's style sheet is 40 KB in gzip, of components that are mostly not used. Each of its components names the classes of its own
 * sheet in a module; here that module brings the sheet along, so that a part of the dashboard has the styles of what it draws
 * and no others, whoever uses a component for the first time.
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
