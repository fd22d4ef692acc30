/** Line icons on a grid of 24, drawn for the consoles. They say nothing that words beside them do not say. */
const SHAPES = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  compose: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  messages: 'M4 5h16v11H9l-5 4z',
  scheduled: 'M12 7v5l3 2M12 21a9 9 0 100-18 9 9 0 000 18z',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5',
  deposits: 'M3 7h18v10H3zM12 14.500a2.500 2.500 0 100-5 2.500 2.500 0 000 5zM6.500 12h.010M17.500 12h.010',
  tariffs: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500h.010',
  ledger: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  statements: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h4',
  usage: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  keys: 'M14.5 9.5a4 4 0 11-5.7 5.7 4 4 0 015.7-5.7zM14 10l6-6M17 7l2 2',
  webhooks: 'M9 7a3 3 0 116 0c0 1-.5 2-1.300 2.500L16 14M7 13a3 3 0 103 4h7M17 14a3 3 0 11-2 5',
  accounts: 'M12 12a4 4 0 100-8 4 4 0 000 8zM4 21c0-4 4-6 8-6s8 2 8 6',
  carriers:
    'M12 13v8M8 21h8M7.500 15.500a6 6 0 010-9M16.500 15.500a6 6 0 000-9M12 12.500a1.500 1.500 0 100-3 1.500 1.500 0 000 3z',
  routes: 'M5 6h5l4 12h5M16 15l3 3-3 3M5 18h4',
  queues: 'M4 6h16M4 12h16M4 18h10',
  holds: 'M9 5v14M15 5v14',
  audit: 'M5 4h14v16H5zM9 9l2 2 4-4M9 15h6',
  people:
    'M9 11a3.500 3.500 0 100-7 3.500 3.500 0 000 7zM2.500 20c0-3.500 3-5.500 6.500-5.500s6.500 2 6.500 5.500M16 4.500a3.500 3.500 0 010 6.500M18 15c2 .700 3.500 2.300 3.500 5',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  search: 'M11 18a7 7 0 100-14 7 7 0 000 14zM16 16l4 4',
  refresh: 'M20 11a8 8 0 10-2 6M20 5v6h-6',
  sun: 'M12 16a4 4 0 100-8 4 4 0 000 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600L7 7M17 17l1.400 1.400M5.600 18.400L7 17M17 7l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 119.500 4a7 7 0 0010.500 10.500z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h10',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.500',
  cross: 'M6 6l12 12M18 6L6 18',
  chevron: 'M9 6l6 6-6 6',
  download: 'M12 4v11M8 11l4 4 4-4M5 20h14',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  more: 'M5.500 12h.010M12 12h.010M18.500 12h.010',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
