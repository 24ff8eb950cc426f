import { latePart } from "../app/late.tsx";

/**
 * Charts with a lot of code, which is loaded in parallel with their figures, or when the page is idle
 * [dashboard-figures.quick].
 */
export const OverviewChart = latePart(() => import("./overview-chart.tsx"), "OverviewChart");
export const GraphView = latePart(() => import("../graph/graph-view.tsx"), "GraphView");

export const quizPictures = [OverviewChart, GraphView];
