/* The test binary with the suite of the model only, for a quick sanitized run. */
#include "../main.c"

void suite_sparse(void)
{
}
void suite_physics(void)
{
}
void suite_self(void)
{
}
void suite_gradient(void)
{
}
void suite_optim(void)
{
}
void suite_io(void)
{
}
void suite_page(void)
{
}
