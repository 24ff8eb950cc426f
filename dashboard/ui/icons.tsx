import type { ReactNode } from "react";

/**
 * Icons on a grid of 24 units, drawn as lines in the text's colour. They are decorative: a text or label gives the
 * meaning.
 */

export const icon = (lines: ReactNode) => () => (
  <svg
    className="qs-icon"
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {lines}
  </svg>
);

export const IconHome = icon(<path d="M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />);
export const IconQuiz = icon(
  <>
    <rect x="4" y="4" width="16" height="16" rx="3" />
    <path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.01" />
  </>,
);
export const IconChart = icon(<path d="M4 20h16M7 16v-5M12 16V6M17 16V9" />);
export const IconPeople = icon(
  <>
    <circle cx="9" cy="8" r="3.2" />
    <path d="M3 20c0-3.3 2.7-6 6-6s6 2.7 6 6M15.5 5.2a3.2 3.2 0 0 1 0 5.6M17.5 14.4c2.1.8 3.5 2.9 3.5 5.6" />
  </>,
);
export const IconExport = icon(<path d="M12 4v11m0 0l-4-4m4 4l4-4M5 20h14" />);
export const IconCode = icon(<path d="M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14" />);
export const IconSettings = icon(
  <>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
    <circle cx="15" cy="7" r="2" />
    <circle cx="9" cy="17" r="2" />
  </>,
);
export const IconOperator = icon(<path d="M12 3l8 3v6c0 4.5-3.2 7.7-8 9-4.8-1.3-8-4.5-8-9V6zM9 12l2.2 2.2L15.5 10" />);
export const IconAccount = icon(
  <>
    <circle cx="12" cy="8" r="3.6" />
    <path d="M5 20c0-3.9 3.1-7 7-7s7 3.1 7 7" />
  </>,
);
export const IconSignOut = icon(
  <path d="M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h11m0 0l-3.5-3.5M21 12l-3.5 3.5" />,
);
export const IconKeyboard = icon(
  <>
    <rect x="3" y="6" width="18" height="12" rx="2" />
    <path d="M7 10v.01M11 10v.01M15 10v.01M18 10v.01M8 14h8" />
  </>,
);
export const IconSearch = icon(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M16 16l4.5 4.5" />
  </>,
);
export const IconBack = icon(<path d="M14.5 6l-6 6 6 6" />);
export const IconNext = icon(<path d="M9.5 6l6 6-6 6" />);
export const IconUp = icon(<path d="M6 14.5l6-6 6 6" />);
export const IconDown = icon(<path d="M6 9.5l6 6 6-6" />);
export const IconCopy = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4.5A1.5 1.5 0 0 1 3 13.5V4.5A1.5 1.5 0 0 1 4.5 3h9A1.5 1.5 0 0 1 15 4.5V5" />
  </>,
);
export const IconCheck = icon(<path d="M5 12.5l4.5 4.5L19 7.5" />);
export const IconPlus = icon(<path d="M12 5v14M5 12h14" />);
export const IconTrash = icon(<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />);
export const IconWarning = icon(<path d="M12 4l9 16H3zM12 10v4M12 17v.01" />);
export const IconMore = icon(<path d="M5 12v.01M12 12v.01M19 12v.01" />);
export const IconUndo = icon(<path d="M8.5 5L4 9.5 8.5 14M4 9.5h10a5 5 0 0 1 0 10h-3" />);
export const IconRedo = icon(<path d="M15.5 5L20 9.5 15.5 14M20 9.5H10a5 5 0 0 0 0 10h3" />);
export const IconGrip = icon(<path d="M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01" />);
