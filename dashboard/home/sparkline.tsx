/**
 * A small line without axes: a figure day by day, the last one today so far. Its figures are in the table behind it.
 */
export function Sparkline({ values, color }: { values: readonly number[]; color: string }) {
  // more may be paid back than is bought
  const least = Math.min(0, ...values);
  const most = Math.max(least + 1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, index) => ({
    x: index * step,
    y: bottom - ((value - least) / (most - least)) * (bottom - top),
  }));
  return (
    <svg
      className="qs-sparkline"
      viewBox={`-3 0 ${width + 6} ${bottom + 2}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-values={values.join(" ")}
      style={{ color: `var(--mantine-color-${color.replace(".", "-")})` }}
    >
      <polyline points={textOf(points.slice(0, -1))} className="qs-spark" />
      <polyline points={textOf(points.slice(-2))} className="qs-spark today" />
    </svg>
  );
}

const textOf = (points: readonly { x: number; y: number }[]): string =>
  points.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ");

const width = 120;
const top = 3;
const bottom = 34;

const round = (value: number): number => Math.round(value * 1000) / 1000;
