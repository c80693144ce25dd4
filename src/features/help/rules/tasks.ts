/** A task, and lines that people type for it. Help shows them as they are typed. */
type Task = readonly [title: string, ...lines: string[]]

/** The tasks that each command's help lists, most needed first. */
export const TASKS: Readonly<Record<string, readonly Task[]>> = {
  hc: [
    ['See', '/hc list down', '/hc show checkout', '/hc history checkout yesterday'],
    ['Get notified', '/hc watch shop*', '/hc watch shop* --escalate "10m @on-call"', '/hc watches'],
    ['Silence', '/hc mute "Shop checkout" 2h', '/hc maintenance bank* --from 22:00 --for 2h'],
    ['Change', '/hc create', '/hc edit shop* --port 8443', '/hc import'],
    ['Email', '/hc alerts checkout', '/hc recipients ann@example.com'],
    ['People', '/hc access', '/hc grant @lee operator 8h', '/hc audit yesterday'],
    ['Threats and certificates', '/threat help', '/cert-order help'],
  ],
  threat: [
    ['Look up', '/threat ID', '/threat details ID'],
    ['Work on it', '/threat take ID', '/threat note ID TEXT', '/threat close ID', '/threat queue'],
    ['Share and export', '/threat export ID', '/threat screenshot ID', '/threat copy ID'],
  ],
  'cert-order': [
    ['Request', '/cert-order', '/cert-order renew CERT_ID', '/cert-order reissue CERT_ID'],
    ['See', '/cert-order list', '/cert-order list waiting', '/cert-order list mine', '/cert-order show 12'],
    ['Decide', '/cert-order approve 12', '/cert-order reject 12'],
    ['Set the channel and domains', '/cert-order settings'],
  ],
}
