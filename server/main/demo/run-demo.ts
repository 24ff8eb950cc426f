import { numberOption } from "../../platform/command-line/commands.ts";
import { Progress } from "../../platform/command-line/print.ts";
import { VersionCache } from "../../quizzes/public.ts";
import { Intake } from "../../storefront/intake.ts";
import { publishableKeyOf, storeNamed } from "../../stores/public.ts";
import type { Opened } from "../foundations.ts";
import { putDemoContent } from "./put-content.ts";
import { runOrders } from "./run-orders.ts";
import { runShoppers } from "./run-shoppers.ts";

/** The work behind `quizstore demo`. */

export async function runDemo(
  opened: Opened,
  options: { store: string; days: string; sessions: string; seed: string },
) {
  const { database, calendar } = opened;
  const days = numberOption("days", options.days, 365);
  const sessions = numberOption("sessions", options.sessions, 1_000_000);
  const store = await storeNamed(database.reader(), options.store);
  const to = calendar.now();
  const from = to - days * 24 * 60 * 60 * 1000;
  const quizzes = await database.transaction((tx) => putDemoContent(tx, opened, store.id, { from, to }));
  const publishableKey = await publishableKeyOf(database.reader(), store.id);
  const intake = new Intake({ ...opened, database: opened.intakeDatabase, versions: new VersionCache() });
  const bar = new Progress(`shoppers of ${days} days`, sessions);
  const plan = { seed: options.seed, quizzes, from, to, sessions };
  const stopped = () => false;
  try {
    const totals = await runShoppers(intake, {
      store,
      publishableKey,
      plan,
      progress: (sent) => bar.update(sent),
      stopped,
    });
    const orders = await runOrders(opened, { store, plan, stopped });
    return { ...totals, orders, quizzes: quizzes.map((quiz) => quiz.quiz_id) };
  } finally {
    await intake.close();
  }
}
