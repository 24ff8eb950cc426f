import { describe, expect, it } from "vitest";
import { type Role, roles } from "../../contract/roles.ts";
import type { Member } from "./account-types.ts";
import { actionsFor, destinationsFor, screensBelowFor } from "./navigation.ts";
import { memberOf } from "./session.ts";

const member = (role: Role): Member =>
  memberOf({ id: "store_a", name: "A", role, currency: "USD", timezone: "UTC", plan: "plus" });
const labels = (list: readonly { label: string }[]) => list.map(({ label }) => label);

describe("what the command menu leads to [dashboard.command-menu]", () => {
  it("is every screen of an owner", () => {
    expect(labels(destinationsFor(member("owner")))).toContain("People");
    expect(labels(screensBelowFor(member("owner")))).toEqual([
      "Webhooks",
      "Events",
      "Search people",
      "Plan and credits",
      "Commerce connection",
      "Team and invitations",
      "Data requests",
      "Audit log",
    ]);
    expect(labels(actionsFor(member("owner")))).toEqual(["New quiz", "Invite somebody", "Make an API key"]);
  });

  it("is no screen that would say that it is for owners", () => {
    expect(labels(destinationsFor(member("editor")))).not.toContain("People");
    expect(labels(screensBelowFor(member("editor")))).toEqual(["Webhooks", "Events", "Plan and credits"]);
    expect(labels(actionsFor(member("editor")))).toEqual(["New quiz"]);
    expect(labels(screensBelowFor(member("analyst")))).toEqual(["Plan and credits"]);
    const developers = roles.map(
      (role) => destinationsFor(member(role)).find(({ label }) => label === "Developers")?.to,
    );
    expect(developers).toEqual([undefined, "/developers/webhooks", "/developers/keys"]);
    expect(destinationsFor(null)).toEqual([]);
  });
});
