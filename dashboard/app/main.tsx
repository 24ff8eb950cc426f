import { createRoot } from "react-dom/client";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./nonce.ts";
import "./app.css";
import { App } from "./app.tsx";
import { followTranslator } from "./follow-translator.ts";
import { fetchSoon } from "./late.tsx";

followTranslator();
for (const deed of ["pointerdown", "keydown"]) addEventListener(deed, fetchSoon, { once: true });

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
