/** The page's icons, 20 × 20, in the color of the surrounding text. */
const PATHS = {
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  close: 'M5 5l10 10M15 5L5 15',
  home: 'M3 9.5 10 4l7 5.5V16a1 1 0 0 1-1 1h-3.5v-4.5h-5V17H4a1 1 0 0 1-1-1z',
  hash: 'M8 3 6 17M14 3l-2 14M3.5 7.5h14M2.5 12.5h14',
  send: 'M3 4l14 6-14 6 2.5-6zM5.5 10H11',
  file: 'M5 2.5h6.5L15.5 7v10.5h-11zM11 2.5V7h4.5',
  warning: 'M10 3 18 16.5H2zM10 8.5v3.5M10 14.3h.01',
  eye: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM12.2 10a2.2 2.2 0 1 1-4.4 0 2.2 2.2 0 0 1 4.4 0z',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={`icon-art icon-${name}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
