export declare function pack(root: string, args?: readonly string[]): Promise<readonly string[]>
