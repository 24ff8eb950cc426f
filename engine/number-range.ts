/** the largest absolute value of a number question's `min`, `max`, `step` and answers [storefront.number-bounds] */
export const mostNumber = 1e12;
/** the smallest absolute value of a step, and of an answer other than 0 */
export const leastNumber = 1e-9;
