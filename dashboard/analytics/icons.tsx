import { icon } from "../ui/icons.tsx";

/** Icons for figures, in addition to the shared ones. */

export const IconTable = icon(<path d="M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14" />);
export const IconPicture = icon(<path d="M4 20V4M4 20h16M8 16l4-6 3 3 5-7" />);
export const IconRefresh = icon(
  <path d="M20 5v5h-5M4 19v-5h5M5.5 9a7 7 0 0 1 12-2.5L20 10M4 14l2.5 3.5a7 7 0 0 0 12-2.5" />,
);
export const IconCalendar = icon(<path d="M4 6h16v14H4zM4 10.5h16M8 3v4M16 3v4" />);
export const IconFilter = icon(<path d="M4 5h16l-6.5 8v6l-3-2v-4z" />);
export const IconSeries = icon(<path d="M4 7h10M18 7h2M4 17h4M12 17h8M16 4.5v5M10 14.5v5" />);
export const IconHint = icon(<path d="M12 11v6M12 7.2v.2M12 3a9 9 0 1 0 .01 0z" />);
