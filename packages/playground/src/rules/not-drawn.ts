/** Blocks that Slack takes and the playground's page cannot draw: why. It shows a box with their JSON instead. */
export const NOT_DRAWN: Readonly<Record<string, string>> = {
  card: 'the page does not draw cards',
  carousel: 'the page does not draw carousels',
  container: 'the page does not draw containers',
  plan: 'the page does not draw plans',
  task_card: 'the page does not draw task cards',
  video: 'the page does not draw videos',
}
