// Made from openapi.json by `npm run client`; do not edit.

import { type CallOptions, type Client, call, type Reply, type UnlessUnchanged } from "../core.ts";
import { type List, list } from "../lists.ts";
import type {
  AnalyticsAnswers,
  AnalyticsBreakdown,
  AnalyticsComparison,
  AnalyticsFunnel,
  AnalyticsOverview,
  AnalyticsPaths,
  AnalyticsProducts,
  AnalyticsSummary,
  AnalyticsTraffic,
  CreatedWebhookEndpoint,
  Delivery,
  Draft,
  DraftChange,
  DraftRun,
  Event,
  Export,
  ExportSummary,
  Finding,
  FullEvent,
  Profile,
  ProfileSearch,
  ProfileSummary,
  PublishApproval,
  Quiz,
  QuizSummary,
  Redelivery,
  RotatedWebhookSecret,
  SavedDraft,
  SearchExplanation,
  Store,
  TestClock,
  VersionSummary,
  WebhookEndpoint,
  WebhookSecret,
} from "./types.ts";

/** Read the store behind the key. Currency, timezone, plan class, the limits in force, the key's scopes and the credits used. `GET /v1/store` */
export function getStore(client: Client, options?: CallOptions): Reply<Store> {
  return call(client, { method: "GET", path: "/v1/store", repeatable: true }, {}, options);
}

export type ListQuizzesInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        status?: "draft" | "published" | undefined;
        archived?: boolean | undefined;
        /** Adds latest_version to each quiz that has one */
        include?: "latest_version" | undefined;
      }
    | undefined;
};

export type ListQuizzesAnswer = {
  data: QuizSummary[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List quizzes, newest first. Without status and archived, every quiz that is not deleted. `GET /v1/quizzes`, scope `quizzes:read` */
export function listQuizzes(
  client: Client,
  input: ListQuizzesInput = {},
  options?: CallOptions,
): List<QuizSummary, ListQuizzesAnswer> {
  return list(client, { method: "GET", path: "/v1/quizzes", repeatable: true }, input, options);
}

export type CreateQuizDraftInput = {
  body?:
    | {
        name?: string | undefined;
        template_id?: "empty" | "finder" | "gift" | "calculator" | undefined;
      }
    | undefined;
};

/** Make a quiz, empty or from a template. It has a draft alone: shoppers see nothing of it until a version is published. `POST /v1/quizzes`, scope `quizzes:write` */
export function createQuizDraft(client: Client, input: CreateQuizDraftInput = {}, options?: CallOptions): Reply<Draft> {
  return call(client, { method: "POST", path: "/v1/quizzes", repeatable: true, keyed: true }, input, options);
}

export type GetQuizInput = {
  path: {
    quiz_id: string;
  };
};

/** Read a quiz with its pages, questions and keys. Pages, questions, options, rules, dimensions and formulas of the live version, else of the latest saved one, else of the draft. What any other version had and this one lacks is listed as removed. `GET /v1/quizzes/{quiz_id}`, scope `quizzes:read` */
export function getQuiz(client: Client, input: GetQuizInput, options?: CallOptions): Reply<Quiz> {
  return call(client, { method: "GET", path: "/v1/quizzes/{quiz_id}", repeatable: true }, input, options);
}

export type DeleteQuizInput = {
  path: {
    quiz_id: string;
  };
};

/** Delete a quiz. Hides the quiz from lists and shoppers; its pages and versions are retained. A second call answers 404. `DELETE /v1/quizzes/{quiz_id}`, scope `quizzes:write` */
export function deleteQuiz(client: Client, input: DeleteQuizInput, options?: CallOptions): Reply<QuizSummary> {
  return call(client, { method: "DELETE", path: "/v1/quizzes/{quiz_id}", repeatable: true }, input, options);
}

export type ArchiveQuizInput = {
  path: {
    quiz_id: string;
  };
};

/** Archive a quiz. Safe to repeat: where nothing is to be changed, nothing is. An archived quiz is still served. `POST /v1/quizzes/{quiz_id}/archive`, scope `quizzes:write` */
export function archiveQuiz(client: Client, input: ArchiveQuizInput, options?: CallOptions): Reply<QuizSummary> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/archive", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type UnarchiveQuizInput = {
  path: {
    quiz_id: string;
  };
};

/** Take a quiz out of the archive. Safe to repeat: where nothing is to be changed, nothing is. An archived quiz is still served. `POST /v1/quizzes/{quiz_id}/unarchive`, scope `quizzes:write` */
export function unarchiveQuiz(client: Client, input: UnarchiveQuizInput, options?: CallOptions): Reply<QuizSummary> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/unarchive", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type ListVersionsInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type ListVersionsAnswer = {
  data: VersionSummary[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List a quiz's saved versions, newest first. `GET /v1/quizzes/{quiz_id}/versions`, scope `quizzes:read` */
export function listVersions(
  client: Client,
  input: ListVersionsInput,
  options?: CallOptions,
): List<VersionSummary, ListVersionsAnswer> {
  return list(client, { method: "GET", path: "/v1/quizzes/{quiz_id}/versions", repeatable: true }, input, options);
}

export type SaveVersionInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        label?: string | undefined;
      }
    | undefined;
};

/** Save the draft as a numbered version. Each call makes another version. A draft that is not valid is refused, field by field. `POST /v1/quizzes/{quiz_id}/versions`, scope `quizzes:write` */
export function saveVersion(client: Client, input: SaveVersionInput, options?: CallOptions): Reply<VersionSummary> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/versions", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetVersionInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
};

/** Read a saved version. `GET /v1/quizzes/{quiz_id}/versions/{version_id}`, scope `quizzes:read` */
export function getVersion(client: Client, input: GetVersionInput, options?: CallOptions): Reply<VersionSummary> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/versions/{version_id}", repeatable: true },
    input,
    options,
  );
}

export type GetVersionLintInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
};

export type GetVersionLintAnswer = {
  /** Empty where there is nothing to say */
  findings: Finding[];
};

/** Lint a saved version. What an author should look at: pages that nobody reaches, ends without a result, pictures without words. `GET /v1/quizzes/{quiz_id}/versions/{version_id}/lint`, scope `quizzes:read` */
export function getVersionLint(
  client: Client,
  input: GetVersionLintInput,
  options?: CallOptions,
): Reply<GetVersionLintAnswer> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/versions/{version_id}/lint", repeatable: true },
    input,
    options,
  );
}

export type GetDraftLintInput = {
  path: {
    quiz_id: string;
  };
};

export type GetDraftLintAnswer = {
  /** Empty where there is nothing to say */
  findings: Finding[];
};

/** Lint the draft. As the next version of its quiz: what is an error here keeps it from being saved as one, or from making sense. `GET /v1/quizzes/{quiz_id}/draft/lint`, scope `quizzes:read` */
export function getDraftLint(
  client: Client,
  input: GetDraftLintInput,
  options?: CallOptions,
): Reply<GetDraftLintAnswer> {
  return call(client, { method: "GET", path: "/v1/quizzes/{quiz_id}/draft/lint", repeatable: true }, input, options);
}

export type PublishVersionInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
  body?:
    | {
        /** What a person was asked, and agreed to in the program */
        approval_id?: string | undefined;
      }
    | undefined;
};

/** Publish a saved version. Safe to repeat: publishing the live version changes nothing and sends no event. With `approval_id` it is published only if that approval was asked for this version, is open, and the version that it replaces is still live; the approval is then used up. `POST /v1/quizzes/{quiz_id}/versions/{version_id}/publish`, scope `quizzes:publish` */
export function publishVersion(client: Client, input: PublishVersionInput, options?: CallOptions): Reply<QuizSummary> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/versions/{version_id}/publish", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type RequestApprovalInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
};

/** Ask a person to publish a version. For programs whose user has to agree, such as AI assistants. Changes nothing: a person who may publish opens `url`, signed in, and approves or declines. Asking again for the same change within its ten minutes answers the same approval. `POST /v1/quizzes/{quiz_id}/versions/{version_id}/approvals`, scope `quizzes:publish` */
export function requestApproval(
  client: Client,
  input: RequestApprovalInput,
  options?: CallOptions,
): Reply<PublishApproval> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/versions/{version_id}/approvals", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetQuizDraftInput = {
  path: {
    quiz_id: string;
  };
};

/** Read a quiz's draft. `GET /v1/quizzes/{quiz_id}/draft`, scope `quizzes:write` */
export function getQuizDraft(client: Client, input: GetQuizDraftInput, options?: CallOptions): Reply<Draft> {
  return call(client, { method: "GET", path: "/v1/quizzes/{quiz_id}/draft", repeatable: true }, input, options);
}

export type ChangeQuizDraftInput = {
  path: {
    quiz_id: string;
  };
  body: {
    run_id: string;
    name?: string | undefined;
    changes: DraftChange[];
  };
};

/** Change a draft by small steps. All of the changes are made, one after the other, or none. The draft is checked as the editor checks it: it may be incomplete, and findings say what keeps it from being a version. `PATCH /v1/quizzes/{quiz_id}/draft`, scope `quizzes:write` */
export function changeQuizDraft(client: Client, input: ChangeQuizDraftInput, options?: CallOptions): Reply<SavedDraft> {
  return call(client, { method: "PATCH", path: "/v1/quizzes/{quiz_id}/draft" }, input, options);
}

export type BeginDraftRunInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        holder?: string | undefined;
        run_id?: string | undefined;
      }
    | undefined;
};

/** Begin to edit a draft as an assistant. For ten minutes, and ten more after each change, nobody else changes the quiz. With `run_id` a run that is under way is renewed. `POST /v1/quizzes/{quiz_id}/draft/run`, scope `quizzes:write` */
export function beginDraftRun(client: Client, input: BeginDraftRunInput, options?: CallOptions): Reply<DraftRun> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/draft/run", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type EndDraftRunInput = {
  path: {
    quiz_id: string;
  };
  body: {
    run_id: string;
  };
};

export type EndDraftRunAnswer = {
  quiz_id: string;
};

/** End an assistant's run. People can change the quiz again, and versions of it can be saved. Safe to repeat. `POST /v1/quizzes/{quiz_id}/draft/run/end`, scope `quizzes:write` */
export function endDraftRun(client: Client, input: EndDraftRunInput, options?: CallOptions): Reply<EndDraftRunAnswer> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/draft/run/end", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type CreatePreviewInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        version_id?: string | undefined;
        hours?: number | undefined;
      }
    | undefined;
};

export type CreatePreviewAnswer = {
  url: string;
  version_id: string | null;
  expires_at: string;
};

/** Make a link that shows the draft, or a version. Whoever has it needs no account. Nothing that is done there counts. `POST /v1/quizzes/{quiz_id}/preview`, scope `quizzes:write` */
export function createPreview(
  client: Client,
  input: CreatePreviewInput,
  options?: CallOptions,
): Reply<CreatePreviewAnswer> {
  return call(
    client,
    { method: "POST", path: "/v1/quizzes/{quiz_id}/preview", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetAnalyticsSummaryInput = {
  query?:
    | {
        /** How many days */
        period?: "7d" | "30d" | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
      }
    | undefined;
};

/** Sum up the store's last days beside those before. Of all quizzes: the last 7 or 30 days, today included, and as many days before them. `GET /v1/analytics/summary`, scope `analytics:read` */
export function getAnalyticsSummary(
  client: Client,
  input: GetAnalyticsSummaryInput | undefined,
  options: UnlessUnchanged,
): Reply<AnalyticsSummary | null>;
/** Sum up the store's last days beside those before. Of all quizzes: the last 7 or 30 days, today included, and as many days before them. `GET /v1/analytics/summary`, scope `analytics:read` */
export function getAnalyticsSummary(
  client: Client,
  input?: GetAnalyticsSummaryInput,
  options?: CallOptions,
): Reply<AnalyticsSummary>;
export function getAnalyticsSummary(
  client: Client,
  input: GetAnalyticsSummaryInput = {},
  options?: CallOptions,
): Reply<AnalyticsSummary> {
  return call(client, { method: "GET", path: "/v1/analytics/summary", repeatable: true }, input, options);
}

export type CompareQuizzesInput = {
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** Part of the name; case is ignored */
        q?: string | undefined;
        /** Rows at most */
        limit?: number | undefined;
        /** Rows to leave out */
        offset?: number | undefined;
        /** share is the attributed share; opt_ins are sessions with either kind */
        sort?: "name" | "views" | "starts" | "completion_rate" | "opt_ins" | "orders" | "revenue" | "share" | undefined;
        /** Direction of the sort */
        dir?: "asc" | "desc" | undefined;
      }
    | undefined;
};

/** Compare the store's quizzes. Every quiz that is not deleted. Rows without a value come last; equal ones by name, then id. `GET /v1/analytics/quizzes`, scope `analytics:read` */
export function compareQuizzes(
  client: Client,
  input: CompareQuizzesInput | undefined,
  options: UnlessUnchanged,
): Reply<AnalyticsComparison | null>;
/** Compare the store's quizzes. Every quiz that is not deleted. Rows without a value come last; equal ones by name, then id. `GET /v1/analytics/quizzes`, scope `analytics:read` */
export function compareQuizzes(
  client: Client,
  input?: CompareQuizzesInput,
  options?: CallOptions,
): Reply<AnalyticsComparison>;
export function compareQuizzes(
  client: Client,
  input: CompareQuizzesInput = {},
  options?: CallOptions,
): Reply<AnalyticsComparison> {
  return call(client, { method: "GET", path: "/v1/analytics/quizzes", repeatable: true }, input, options);
}

export type GetStoreAnalyticsOverviewInput = {
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
      }
    | undefined;
};

/** Read the store's figures day by day. All quizzes together. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/analytics/overview`, scope `analytics:read` */
export function getStoreAnalyticsOverview(
  client: Client,
  input: GetStoreAnalyticsOverviewInput | undefined,
  options: UnlessUnchanged,
): Reply<AnalyticsOverview | null>;
/** Read the store's figures day by day. All quizzes together. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/analytics/overview`, scope `analytics:read` */
export function getStoreAnalyticsOverview(
  client: Client,
  input?: GetStoreAnalyticsOverviewInput,
  options?: CallOptions,
): Reply<AnalyticsOverview>;
export function getStoreAnalyticsOverview(
  client: Client,
  input: GetStoreAnalyticsOverviewInput = {},
  options?: CallOptions,
): Reply<AnalyticsOverview> {
  return call(client, { method: "GET", path: "/v1/analytics/overview", repeatable: true }, input, options);
}

export type GetStoreAnalyticsBreakdownInput = {
  query: {
    /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
    from?: string | undefined;
    /** Last day, included, in `tz`; today when left out, and never later */
    to?: string | undefined;
    /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
    tz?: string | undefined;
    /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
    channel?: string | undefined;
    /** Only sessions on this class of device: desktop, mobile, tablet, other */
    device?: string | undefined;
    /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
    new_returning?: string | undefined;
    /** Only sessions from this country: two capital letters, or `unknown` */
    country?: string | undefined;
    /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
    region?: string | undefined;
    /** What to split by; `outcome`: the result with which sessions finished */
    by: "channel" | "device" | "new_returning" | "country" | "region" | "outcome";
  };
};

/** Split the store's figures by a dimension. All quizzes together. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/analytics/breakdown`, scope `analytics:read` */
export function getStoreAnalyticsBreakdown(
  client: Client,
  input: GetStoreAnalyticsBreakdownInput,
  options: UnlessUnchanged,
): Reply<AnalyticsBreakdown | null>;
/** Split the store's figures by a dimension. All quizzes together. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/analytics/breakdown`, scope `analytics:read` */
export function getStoreAnalyticsBreakdown(
  client: Client,
  input: GetStoreAnalyticsBreakdownInput,
  options?: CallOptions,
): Reply<AnalyticsBreakdown>;
export function getStoreAnalyticsBreakdown(
  client: Client,
  input: GetStoreAnalyticsBreakdownInput,
  options?: CallOptions,
): Reply<AnalyticsBreakdown> {
  return call(client, { method: "GET", path: "/v1/analytics/breakdown", repeatable: true }, input, options);
}

export type GetStoreAnalyticsProductsInput = {
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** Rows at most */
        limit?: number | undefined;
        /** Numbers descending, title ascending */
        sort?: "revenue" | "units" | "orders" | "times_shown" | "title" | undefined;
        /** The figures cover this bucket only */
        bucket?: "added_from_quiz" | "shown_bought_later" | "bought_not_shown" | undefined;
      }
    | undefined;
};

/** Read what the store's quizzes showed and sold. All quizzes together. Orders count inside the store's order window. `GET /v1/analytics/products`, scope `analytics:read` */
export function getStoreAnalyticsProducts(
  client: Client,
  input: GetStoreAnalyticsProductsInput | undefined,
  options: UnlessUnchanged,
): Reply<AnalyticsProducts | null>;
/** Read what the store's quizzes showed and sold. All quizzes together. Orders count inside the store's order window. `GET /v1/analytics/products`, scope `analytics:read` */
export function getStoreAnalyticsProducts(
  client: Client,
  input?: GetStoreAnalyticsProductsInput,
  options?: CallOptions,
): Reply<AnalyticsProducts>;
export function getStoreAnalyticsProducts(
  client: Client,
  input: GetStoreAnalyticsProductsInput = {},
  options?: CallOptions,
): Reply<AnalyticsProducts> {
  return call(client, { method: "GET", path: "/v1/analytics/products", repeatable: true }, input, options);
}

export type GetQuizAnalyticsOverviewInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
      }
    | undefined;
};

/** Read a quiz's figures day by day. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/overview`, scope `analytics:read` */
export function getQuizAnalyticsOverview(
  client: Client,
  input: GetQuizAnalyticsOverviewInput,
  options: UnlessUnchanged,
): Reply<AnalyticsOverview | null>;
/** Read a quiz's figures day by day. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/overview`, scope `analytics:read` */
export function getQuizAnalyticsOverview(
  client: Client,
  input: GetQuizAnalyticsOverviewInput,
  options?: CallOptions,
): Reply<AnalyticsOverview>;
export function getQuizAnalyticsOverview(
  client: Client,
  input: GetQuizAnalyticsOverviewInput,
  options?: CallOptions,
): Reply<AnalyticsOverview> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/overview", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsAnswersInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** The question; the quiz's first when left out */
        component_key?: string | undefined;
      }
    | undefined;
};

/** Read what was answered, and what became of it. Of the sessions that answered the question in the range, by their last answer. What became of them counts whenever it happened. `GET /v1/quizzes/{quiz_id}/analytics/answers`, scope `analytics:read` */
export function getQuizAnalyticsAnswers(
  client: Client,
  input: GetQuizAnalyticsAnswersInput,
  options: UnlessUnchanged,
): Reply<AnalyticsAnswers | null>;
/** Read what was answered, and what became of it. Of the sessions that answered the question in the range, by their last answer. What became of them counts whenever it happened. `GET /v1/quizzes/{quiz_id}/analytics/answers`, scope `analytics:read` */
export function getQuizAnalyticsAnswers(
  client: Client,
  input: GetQuizAnalyticsAnswersInput,
  options?: CallOptions,
): Reply<AnalyticsAnswers>;
export function getQuizAnalyticsAnswers(
  client: Client,
  input: GetQuizAnalyticsAnswersInput,
  options?: CallOptions,
): Reply<AnalyticsAnswers> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/answers", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsFunnelInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
      }
    | undefined;
};

/** Follow the sessions from page to page until they leave. The cohort is the sessions that answered their first question inside the range, each followed to its end: starts = completions + sessions_dropped of all pages + in_progress. `GET /v1/quizzes/{quiz_id}/analytics/funnel`, scope `analytics:read` */
export function getQuizAnalyticsFunnel(
  client: Client,
  input: GetQuizAnalyticsFunnelInput,
  options: UnlessUnchanged,
): Reply<AnalyticsFunnel | null>;
/** Follow the sessions from page to page until they leave. The cohort is the sessions that answered their first question inside the range, each followed to its end: starts = completions + sessions_dropped of all pages + in_progress. `GET /v1/quizzes/{quiz_id}/analytics/funnel`, scope `analytics:read` */
export function getQuizAnalyticsFunnel(
  client: Client,
  input: GetQuizAnalyticsFunnelInput,
  options?: CallOptions,
): Reply<AnalyticsFunnel>;
export function getQuizAnalyticsFunnel(
  client: Client,
  input: GetQuizAnalyticsFunnelInput,
  options?: CallOptions,
): Reply<AnalyticsFunnel> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/funnel", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsBreakdownInput = {
  path: {
    quiz_id: string;
  };
  query: {
    /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
    from?: string | undefined;
    /** Last day, included, in `tz`; today when left out, and never later */
    to?: string | undefined;
    /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
    tz?: string | undefined;
    /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
    channel?: string | undefined;
    /** Only sessions on this class of device: desktop, mobile, tablet, other */
    device?: string | undefined;
    /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
    new_returning?: string | undefined;
    /** Only sessions from this country: two capital letters, or `unknown` */
    country?: string | undefined;
    /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
    region?: string | undefined;
    /** What to split by; `outcome`: the result with which sessions finished */
    by: "channel" | "device" | "new_returning" | "country" | "region" | "outcome";
  };
};

/** Split a quiz's figures by a dimension. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/breakdown`, scope `analytics:read` */
export function getQuizAnalyticsBreakdown(
  client: Client,
  input: GetQuizAnalyticsBreakdownInput,
  options: UnlessUnchanged,
): Reply<AnalyticsBreakdown | null>;
/** Split a quiz's figures by a dimension. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/breakdown`, scope `analytics:read` */
export function getQuizAnalyticsBreakdown(
  client: Client,
  input: GetQuizAnalyticsBreakdownInput,
  options?: CallOptions,
): Reply<AnalyticsBreakdown>;
export function getQuizAnalyticsBreakdown(
  client: Client,
  input: GetQuizAnalyticsBreakdownInput,
  options?: CallOptions,
): Reply<AnalyticsBreakdown> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/breakdown", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsPathsInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** finished: completed; left: ended otherwise; all: those in progress too */
        cohort?: "all" | "finished" | "left" | undefined;
      }
    | undefined;
};

/** Read the ways that sessions took between pages. The cohort is the funnel's; moves after the finish count nowhere. Edges past the 60 largest are summed up in other_paths. `GET /v1/quizzes/{quiz_id}/analytics/paths`, scope `analytics:read` */
export function getQuizAnalyticsPaths(
  client: Client,
  input: GetQuizAnalyticsPathsInput,
  options: UnlessUnchanged,
): Reply<AnalyticsPaths | null>;
/** Read the ways that sessions took between pages. The cohort is the funnel's; moves after the finish count nowhere. Edges past the 60 largest are summed up in other_paths. `GET /v1/quizzes/{quiz_id}/analytics/paths`, scope `analytics:read` */
export function getQuizAnalyticsPaths(
  client: Client,
  input: GetQuizAnalyticsPathsInput,
  options?: CallOptions,
): Reply<AnalyticsPaths>;
export function getQuizAnalyticsPaths(
  client: Client,
  input: GetQuizAnalyticsPathsInput,
  options?: CallOptions,
): Reply<AnalyticsPaths> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/paths", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsProductsInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** Rows at most */
        limit?: number | undefined;
        /** Numbers descending, title ascending */
        sort?: "revenue" | "units" | "orders" | "times_shown" | "title" | undefined;
        /** The figures cover this bucket only */
        bucket?: "added_from_quiz" | "shown_bought_later" | "bought_not_shown" | undefined;
      }
    | undefined;
};

/** Read what a quiz showed and sold. Orders count inside the store's order window. `GET /v1/quizzes/{quiz_id}/analytics/products`, scope `analytics:read` */
export function getQuizAnalyticsProducts(
  client: Client,
  input: GetQuizAnalyticsProductsInput,
  options: UnlessUnchanged,
): Reply<AnalyticsProducts | null>;
/** Read what a quiz showed and sold. Orders count inside the store's order window. `GET /v1/quizzes/{quiz_id}/analytics/products`, scope `analytics:read` */
export function getQuizAnalyticsProducts(
  client: Client,
  input: GetQuizAnalyticsProductsInput,
  options?: CallOptions,
): Reply<AnalyticsProducts>;
export function getQuizAnalyticsProducts(
  client: Client,
  input: GetQuizAnalyticsProductsInput,
  options?: CallOptions,
): Reply<AnalyticsProducts> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/products", repeatable: true },
    input,
    options,
  );
}

export type GetQuizAnalyticsTrafficInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** First day, in `tz`; 29 days before `to` when left out. At most 366 days */
        from?: string | undefined;
        /** Last day, included, in `tz`; today when left out, and never later */
        to?: string | undefined;
        /** IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused */
        tz?: string | undefined;
        /** Only sessions of this channel: small letters, digits and `_`, at most 32 */
        channel?: string | undefined;
        /** Only sessions on this class of device: desktop, mobile, tablet, other */
        device?: string | undefined;
        /** `new`: only visitors' first sessions in the store; `returning`: only later ones */
        new_returning?: string | undefined;
        /** Only sessions from this country: two capital letters, or `unknown` */
        country?: string | undefined;
        /** Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown` */
        region?: string | undefined;
        /** What to split by */
        by?:
          | "referrer_host"
          | "utm_source"
          | "utm_medium"
          | "utm_campaign"
          | "utm_content"
          | "utm_term"
          | "page_url"
          | "placement"
          | undefined;
        /** Rows at most */
        limit?: number | undefined;
      }
    | undefined;
};

/** Read where a quiz's sessions came from. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/traffic`, scope `analytics:read` */
export function getQuizAnalyticsTraffic(
  client: Client,
  input: GetQuizAnalyticsTrafficInput,
  options: UnlessUnchanged,
): Reply<AnalyticsTraffic | null>;
/** Read where a quiz's sessions came from. Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach. `GET /v1/quizzes/{quiz_id}/analytics/traffic`, scope `analytics:read` */
export function getQuizAnalyticsTraffic(
  client: Client,
  input: GetQuizAnalyticsTrafficInput,
  options?: CallOptions,
): Reply<AnalyticsTraffic>;
export function getQuizAnalyticsTraffic(
  client: Client,
  input: GetQuizAnalyticsTrafficInput,
  options?: CallOptions,
): Reply<AnalyticsTraffic> {
  return call(
    client,
    { method: "GET", path: "/v1/quizzes/{quiz_id}/analytics/traffic", repeatable: true },
    input,
    options,
  );
}

export type ListProfilesInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        /** Part of an email or phone; case is ignored */
        q?: string | undefined;
        /** First day on which the person started a session, in UTC */
        from?: string | undefined;
        /** Last such day, in UTC */
        to?: string | undefined;
        quiz_id?: string | undefined;
        has_email?: boolean | undefined;
        has_phone?: boolean | undefined;
        has_order?: boolean | undefined;
        has_marketing_consent?: boolean | undefined;
        is_returning?: boolean | undefined;
      }
    | undefined;
};

export type ListProfilesAnswer = {
  data: ProfileSummary[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List people, last seen first. from, to and quiz_id keep people with one session that meets all three. Days are in UTC. Removed people are in no list. `GET /v1/profiles`, scope `profiles:read` */
export function listProfiles(
  client: Client,
  input: ListProfilesInput = {},
  options?: CallOptions,
): List<ProfileSummary, ListProfilesAnswer> {
  return list(client, { method: "GET", path: "/v1/profiles", repeatable: true }, input, options);
}

export type GetProfileInput = {
  path: {
    profile_id: string;
  };
};

/** Read a person. Contacts, the newest result of each quiz, sessions and linked orders, newest first. At most the 1,000 newest sessions and orders are listed, and truncated tells that there are more; the counts are of all. Questions, options and pages are called as the newest version that has them calls them. `GET /v1/profiles/{profile_id}`, scope `profiles:read` */
export function getProfile(client: Client, input: GetProfileInput, options?: CallOptions): Reply<Profile> {
  return call(client, { method: "GET", path: "/v1/profiles/{profile_id}", repeatable: true }, input, options);
}

export type SearchProfilesInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        /** Adds how many people each group and each slot matches alone */
        explain?: boolean | undefined;
      }
    | undefined;
  body?: ProfileSearch | undefined;
};

export type SearchProfilesAnswer = {
  data: ProfileSummary[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
  /** Exact up to 5,000, then 5,000 */
  total: number;
  /** More than `total` people match */
  total_capped: boolean;
  /** Matches who came on at least two separate visits, never capped */
  returning_total: number;
  /** With `explain=true`: exact, never capped */
  explain?: SearchExplanation | undefined;
};

/** Search people by facts and answers. Last seen first. Send the same body with every page. What was captured, changed or erased before the request is found so. A search that runs longer than 10 seconds answers 422 with `export`, the export request for the same people. `POST /v1/profiles/search`, scope `profiles:read` */
export function searchProfiles(
  client: Client,
  input: SearchProfilesInput = {},
  options?: CallOptions,
): List<ProfileSummary, SearchProfilesAnswer> {
  return list(client, { method: "POST", path: "/v1/profiles/search", repeatable: true }, input, options);
}

export type ListExportsInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type ListExportsAnswer = {
  data: ExportSummary[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List exports, newest first. Expired ones too; without download links. `GET /v1/exports` */
export function listExports(
  client: Client,
  input: ListExportsInput = {},
  options?: CallOptions,
): List<ExportSummary, ListExportsAnswer> {
  return list(client, { method: "GET", path: "/v1/exports", repeatable: true }, input, options);
}

export type CreateExportInput = {
  body: {
    /** profiles: a row per person; responses: a row per session with an answer; quiz_analytics: a row per quiz and day */
    dataset: "profiles" | "responses" | "quiz_analytics";
    /** ndjson: an item of the JSON format on each line, and nothing else. xlsx: a workbook with a sheet for each quiz. parquet: a table with typed columns */
    format?: "csv" | "json" | "ndjson" | "xlsx" | "parquet" | undefined;
    /** spreadsheet, the default: safe to open in one. plain: for programs, values exactly as they are, each row on a line, without a byte-order mark. Only with csv */
    csv_style?: "spreadsheet" | "plain" | undefined;
    /** What columns of questions are named by. keys, the default: their keys, which never change. texts: their numbers and texts, such as `12. Your skin?`. Not with json and ndjson */
    headers?: "keys" | "texts" | undefined;
    /** First day, in tz */
    from?: string | undefined;
    /** Last day, in tz */
    to?: string | undefined;
    /** A quiz of the store, deleted ones included */
    quiz_id?: string | undefined;
    /** People of this search only; not with quiz_analytics */
    search?: ProfileSearch | undefined;
    /** IANA name of the zone of from and to; UTC by default */
    tz?: string | undefined;
  };
};

/** Request a file of people, responses or analytics. Needs profiles:read for profiles and responses, analytics:read for quiz_analytics. The file is built in the background: poll urls.self. While an export of the dataset is being built, another one answers 409. `POST /v1/exports` */
export function createExport(client: Client, input: CreateExportInput, options?: CallOptions): Reply<ExportSummary> {
  return call(client, { method: "POST", path: "/v1/exports", repeatable: true, keyed: true }, input, options);
}

export type GetExportInput = {
  path: {
    export_id: string;
  };
};

/** Read an export, with its download link once completed. An expired export answers 404. `GET /v1/exports/{export_id}` */
export function getExport(client: Client, input: GetExportInput, options?: CallOptions): Reply<Export> {
  return call(client, { method: "GET", path: "/v1/exports/{export_id}", repeatable: true }, input, options);
}

export type ListEventsInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        /** Events of this topic only */
        type?:
          | "quiz.started"
          | "quiz.finished"
          | "quiz.abandoned"
          | "identity.captured"
          | "profile.created"
          | "profile.updated"
          | "quiz.published"
          | "export.completed"
          | "webhook.endpoint.disabled"
          | undefined;
        /** Adds data to each event, as an endpoint is sent it */
        include?: "payload" | undefined;
        /** Payloads with contacts; true needs the scope profiles:read as well */
        include_pii?: boolean | undefined;
      }
    | undefined;
};

export type ListEventsAnswer = {
  data: Event[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List events of the last 30 days with their deliveries, newest first. Each event once, without pings, by when it entered the feed: reading up to a known one misses nothing. `GET /v1/events`, scope `webhooks:manage` */
export function listEvents(
  client: Client,
  input: ListEventsInput = {},
  options?: CallOptions,
): List<Event, ListEventsAnswer> {
  return list(client, { method: "GET", path: "/v1/events", repeatable: true }, input, options);
}

export type GetEventInput = {
  path: {
    event_id: string;
  };
  query?:
    | {
        /** Payloads with contacts; true needs the scope profiles:read as well */
        include_pii?: boolean | undefined;
      }
    | undefined;
};

/** Read an event of the last 30 days with its payload and its deliveries. `GET /v1/events/{event_id}`, scope `webhooks:manage` */
export function getEvent(client: Client, input: GetEventInput, options?: CallOptions): Reply<FullEvent> {
  return call(client, { method: "GET", path: "/v1/events/{event_id}", repeatable: true }, input, options);
}

export type ListWebhooksInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type ListWebhooksAnswer = {
  data: WebhookEndpoint[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List webhook endpoints, newest first. Stays open on a paused plan. `GET /v1/webhooks`, scope `webhooks:manage` */
export function listWebhooks(
  client: Client,
  input: ListWebhooksInput = {},
  options?: CallOptions,
): List<WebhookEndpoint, ListWebhooksAnswer> {
  return list(client, { method: "GET", path: "/v1/webhooks", repeatable: true }, input, options);
}

export type CreateWebhookInput = {
  body: {
    /** A public https address; a host that does not resolve yet is taken */
    url: string;
    /** Topics to subscribe to */
    topics: (
      | "quiz.started"
      | "quiz.finished"
      | "quiz.abandoned"
      | "identity.captured"
      | "profile.created"
      | "profile.updated"
      | "quiz.published"
      | "export.completed"
      | "webhook.endpoint.disabled"
    )[];
    /** Sends contacts; true needs the scope profiles:read as well */
    include_pii?: boolean | undefined;
    description?: string | null | undefined;
    /** Sends events of these quizzes only, and those of no quiz; null: of every quiz */
    quiz_ids?: string[] | null | undefined;
  };
};

/** Create a webhook endpoint. Answers 200 with the existing endpoint where one with this address and configuration is there. include_pii: true needs profiles:read as well. `POST /v1/webhooks`, scope `webhooks:manage` */
export function createWebhook(
  client: Client,
  input: CreateWebhookInput,
  options?: CallOptions,
): Reply<CreatedWebhookEndpoint> {
  return call(client, { method: "POST", path: "/v1/webhooks", repeatable: true, keyed: true }, input, options);
}

export type GetWebhookInput = {
  path: {
    endpoint_id: string;
  };
};

/** Read a webhook endpoint. `GET /v1/webhooks/{endpoint_id}`, scope `webhooks:manage` */
export function getWebhook(client: Client, input: GetWebhookInput, options?: CallOptions): Reply<WebhookEndpoint> {
  return call(client, { method: "GET", path: "/v1/webhooks/{endpoint_id}", repeatable: true }, input, options);
}

export type UpdateWebhookInput = {
  path: {
    endpoint_id: string;
  };
  body?:
    | {
        /** A public https address; a host that does not resolve yet is taken */
        url?: string | undefined;
        /** Topics to subscribe to */
        topics?:
          | (
              | "quiz.started"
              | "quiz.finished"
              | "quiz.abandoned"
              | "identity.captured"
              | "profile.created"
              | "profile.updated"
              | "quiz.published"
              | "export.completed"
              | "webhook.endpoint.disabled"
            )[]
          | undefined;
        /** Sends contacts; true needs the scope profiles:read as well */
        include_pii?: boolean | undefined;
        description?: string | null | undefined;
        /** Sends events of these quizzes only, and those of no quiz; null: of every quiz */
        quiz_ids?: string[] | null | undefined;
        status?: "enabled" | "disabled" | undefined;
      }
    | undefined;
};

/** Change an endpoint's subscription or status. Fields that are left out stay. Disabling gives up what is queued; enabling clears what was noted of failures. Leaving include_pii true needs profiles:read; switching it off takes the contacts out of what is queued. `PATCH /v1/webhooks/{endpoint_id}`, scope `webhooks:manage` */
export function updateWebhook(
  client: Client,
  input: UpdateWebhookInput,
  options?: CallOptions,
): Reply<WebhookEndpoint> {
  return call(client, { method: "PATCH", path: "/v1/webhooks/{endpoint_id}" }, input, options);
}

export type DeleteWebhookInput = {
  path: {
    endpoint_id: string;
  };
};

/** Delete an endpoint and its deliveries. A second call answers 404. `DELETE /v1/webhooks/{endpoint_id}`, scope `webhooks:manage` */
export function deleteWebhook(client: Client, input: DeleteWebhookInput, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/v1/webhooks/{endpoint_id}", repeatable: true }, input, options);
}

export type ListDeliveriesInput = {
  path: {
    endpoint_id: string;
  };
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type ListDeliveriesAnswer = {
  data: Delivery[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List an endpoint's deliveries of the last 30 days, newest first. Each with its payload as signed. Stays open on a paused plan. `GET /v1/webhooks/{endpoint_id}/deliveries`, scope `webhooks:manage` */
export function listDeliveries(
  client: Client,
  input: ListDeliveriesInput,
  options?: CallOptions,
): List<Delivery, ListDeliveriesAnswer> {
  return list(
    client,
    { method: "GET", path: "/v1/webhooks/{endpoint_id}/deliveries", repeatable: true },
    input,
    options,
  );
}

export type RedeliverInput = {
  path: {
    endpoint_id: string;
    delivery_id: string;
  };
};

/** Send a delivery again. The same event with the whole schedule before it, in place of the outcome it had. Changes nothing while the delivery is queued or being sent. `POST /v1/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver`, scope `webhooks:manage` */
export function redeliver(client: Client, input: RedeliverInput, options?: CallOptions): Reply<Delivery> {
  return call(
    client,
    {
      method: "POST",
      path: "/v1/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver",
      repeatable: true,
      keyed: true,
    },
    input,
    options,
  );
}

export type RedeliverFailedInput = {
  path: {
    endpoint_id: string;
  };
  body: {
    /** Deliveries made at this moment or later */
    since: string;
  };
};

/** Send again what failed for good since a moment. Leaves out what a paused plan skipped. A repeat finds only what failed again meanwhile. `POST /v1/webhooks/{endpoint_id}/redeliver-failed`, scope `webhooks:manage` */
export function redeliverFailed(client: Client, input: RedeliverFailedInput, options?: CallOptions): Reply<Redelivery> {
  return call(
    client,
    { method: "POST", path: "/v1/webhooks/{endpoint_id}/redeliver-failed", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type RevealSecretInput = {
  path: {
    endpoint_id: string;
  };
};

/** Show the signing secret. `POST /v1/webhooks/{endpoint_id}/reveal-secret`, scope `webhooks:manage` */
export function revealSecret(client: Client, input: RevealSecretInput, options?: CallOptions): Reply<WebhookSecret> {
  return call(
    client,
    { method: "POST", path: "/v1/webhooks/{endpoint_id}/reveal-secret", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type RotateSecretInput = {
  path: {
    endpoint_id: string;
  };
};

/** Replace the signing secret; the previous one stays valid for 24 hours. Each call makes another secret, and ends the one before the previous. `POST /v1/webhooks/{endpoint_id}/rotate-secret`, scope `webhooks:manage` */
export function rotateSecret(
  client: Client,
  input: RotateSecretInput,
  options?: CallOptions,
): Reply<RotatedWebhookSecret> {
  return call(
    client,
    { method: "POST", path: "/v1/webhooks/{endpoint_id}/rotate-secret", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type PingWebhookInput = {
  path: {
    endpoint_id: string;
  };
};

/** Queue a signed ping. `POST /v1/webhooks/{endpoint_id}/ping`, scope `webhooks:manage` */
export function pingWebhook(client: Client, input: PingWebhookInput, options?: CallOptions): Reply<Delivery> {
  return call(
    client,
    { method: "POST", path: "/v1/webhooks/{endpoint_id}/ping", repeatable: true, keyed: true },
    input,
    options,
  );
}

/** Read the test twin's clock. With a key that begins with `svc_test_`. `GET /v1/test/clock` */
export function getTestClock(client: Client, options?: CallOptions): Reply<TestClock> {
  return call(client, { method: "GET", path: "/v1/test/clock", repeatable: true }, {}, options);
}

export type MoveTestClockInput = {
  body?:
    | {
        advance_seconds?: number | undefined;
        /** Instead of `advance_seconds` */
        to?: string | undefined;
      }
    | undefined;
};

/** Move the test twin's clock forward. By so many seconds, or to a time that lies ahead. It never goes back. What falls due by it is done within seconds: idle visits end, webhooks are tried again, replaced secrets end, exports expire. Keys do not expire by it. `POST /v1/test/clock` */
export function moveTestClock(client: Client, input: MoveTestClockInput = {}, options?: CallOptions): Reply<TestClock> {
  return call(client, { method: "POST", path: "/v1/test/clock", repeatable: true, keyed: true }, input, options);
}

/** Empty the test twin. Quizzes, sessions, people, orders, webhooks and exports of it are gone at once, and its clock shows everybody's time again. Keys, publishable key and shop domain stay. Safe to repeat. `DELETE /v1/test/data` */
export function emptyTestStore(client: Client, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/v1/test/data", repeatable: true }, {}, options);
}
