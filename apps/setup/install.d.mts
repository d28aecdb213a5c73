export declare function missing(
  stamp: string,
  kind: 'running' | 'everything',
  fingerprint: string,
): 'running' | 'everything' | undefined
