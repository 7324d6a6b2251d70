const paths = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  webhook: 'M12 8a3 3 0 1 0-3-3l-4 8M9 16h8m-1.5-8 3.5 6M5 16a3 3 0 1 0 3 3M18 14a3 3 0 1 1-2 5',
  delivery: 'M4 6h16v12H4zM4 7l8 6 8-6',
  event: 'M13 3 5 14h6l-1 7 8-11h-6z',
  endpoint: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  source: 'M5 6c0-4 14-4 14 0v12c0 4-14 4-14 0zM5 6c0 4 14 4 14 0M5 12c0 4 14 4 14 0',
  users:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21c0-4 3-6 7-6s7 2 7 6M16 3.5a4 4 0 0 1 0 7M18 15.5c2.5.7 4 2.5 4 5.5',
  replay: 'M4 12a8 8 0 1 1 2.5 5.8M4 12V6m0 6h6',
  stream:
    'M4 7c4-4 8 4 12 0 1.5-1.5 3-1.5 4 0M4 13c4-4 8 4 12 0 1.5-1.5 3-1.5 4 0M4 19c4-4 8 4 12 0 1.5-1.5 3-1.5 4 0',
  api: 'm8 8-4 4 4 4m8-8 4 4-4 4M14 5l-4 14',
  health: 'M12 21C5 16 3 12 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 12 19 16 12 21',
  project: 'M3 6h6l2 2h10v11H3z',
  key: 'M14 10a5 5 0 1 0-3.5 4.8L12 13h2v-2h2l4-4V4h-3z',
  ledger: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  job: 'M12 8v4l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
  more: 'M5 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2m7 0a1 1 0 1 0 0-2 1 1 0 0 0 0 2m7 0a1 1 0 1 0 0-2 1 1 0 0 0 0 2',
  choose: 'm8 9 4-4 4 4M8 15l4 4 4-4',
  docs: 'M5 4h9l5 5v11H5zM14 4v5h5M9 13h6M9 17h6',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 13 4 4L19 7',
  plus: 'M12 5v14M5 12h14',
  back: 'm14 6-6 6 6 6',
  next: 'm10 6 6 6-6 6',
  out: 'M14 4h5v16h-5M4 12h11m-4-4 4 4-4 4',
  warn: 'M12 4 2.5 20h19zM12 10v4m0 3h.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14m5-2 4 4',
} as const

export type IconName = keyof typeof paths

/** Decoration. The text beside it, or the label of its button, says the same. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  )
}
