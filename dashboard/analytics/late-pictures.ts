import { latePart } from "../app/late.tsx";

/**
 * Pictures whose code is large: it is fetched beside the figures that they draw, or while nobody asks for anything
 * [dashboard-figures.quick].
 */
export const OverviewChart = latePart(() => import("./overview-chart.tsx"), "OverviewChart");
export const GraphView = latePart(() => import("../graph/graph-view.tsx"), "GraphView");

export const quizPictures = [OverviewChart, GraphView];
