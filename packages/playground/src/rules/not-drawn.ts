/** Blocks that Slack takes and the playground's page cannot draw: why. It shows a box with their JSON instead. */
export const NOT_DRAWN: Readonly<Record<string, string>> = {}
